"""Has the engines' own parsers read command lines, which takes seconds and starts no server.

    DIR/vllm/bin/python parse_arguments.py vllm < LINES        LINES: a JSON object, name to list of arguments
    DIR/sglang/bin/python parse_arguments.py sglang < LINES

Prints a JSON object, name to what is wrong, without the lines that are right. An option that is only the beginning of
another, which argparse would take, counts as wrong, and so does one that a parser itself calls unknown.
"""

import argparse
import contextlib
import json
import sys


class Refused(Exception):
    pass


def vllm_parser():
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    return ServeSubcommand().subparser_init(FlexibleArgumentParser(prog="vllm").add_subparsers())


def sglang_parser():
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser(prog="sglang.launch_server")
    ServerArgs.add_cli_args(parser)
    return parser


def problem(parser, arguments):
    for argument in arguments:
        # vLLM takes --config.key for a key of the JSON that --config takes, and checks the key itself.
        option = argument.split("=", 1)[0].split(".", 1)[0]
        if option.startswith("--") and option not in parser._option_string_actions:
            return f"{option} is no option"
    try:
        parser.parse_args(arguments)
    except Refused as refused:
        return str(refused)
    return None


def refuse(message):
    raise Refused(message)


def main():
    lines = json.load(sys.stdin)
    # What the engines log goes to stderr: stdout has the answer alone.
    with contextlib.redirect_stdout(sys.stderr):
        parser = {"vllm": vllm_parser, "sglang": sglang_parser}[sys.argv[1]]()
        parser.error = refuse
        found = {name: problem(parser, arguments) for name, arguments in lines.items()}
    json.dump({name: text for name, text in found.items() if text}, sys.stdout)


if __name__ == "__main__":
    main()
