/** Tests of what the fuzzer finds. */
