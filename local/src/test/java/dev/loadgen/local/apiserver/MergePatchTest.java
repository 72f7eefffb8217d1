package dev.loadgen.local.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergePatchTest {
  /** The test cases of RFC 7396, appendix A. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "{'a':'b'}; {'a':'c'}; {'a':'c'}",
        "{'a':'b'}; {'b':'c'}; {'a':'b','b':'c'}",
        "{'a':'b'}; {'a':null}; {}",
        "{'a':'b','b':'c'}; {'a':null}; {'b':'c'}",
        "{'a':['b']}; {'a':'c'}; {'a':'c'}",
        "{'a':'c'}; {'a':['b']}; {'a':['b']}",
        "{'a':{'b':'c'}}; {'a':{'b':'d','c':null}}; {'a':{'b':'d'}}",
        "{'a':[{'b':'c'}]}; {'a':[1]}; {'a':[1]}",
        "['a','b']; ['c','d']; ['c','d']",
        "{'a':'b'}; ['c']; ['c']",
        "{'a':'foo'}; 'bar'; 'bar'",
        "{'e':null}; {'a':1}; {'e':null,'a':1}",
        "[1,2]; {'a':'b','c':null}; {'a':'b'}",
        "{}; {'a':{'bb':{'ccc':null}}}; {'a':{'bb':{}}}"
      })
  void mergesAsTheRfcSays(String target, String patch, String result)
      throws JsonProcessingException {
    assertThat(MergePatch.apply(json(target), json(patch))).isEqualTo(json(result));
  }

  @Test
  void removesWhatAnApplierHasLeftOut() throws JsonProcessingException {
    ObjectNode live = (ObjectNode) json("{'a':1,'b':{'c':2,'d':3},'foreign':4}");

    MergePatch.removeAbandoned(
        live, (ObjectNode) json("{'a':1,'b':{'c':2,'d':3}}"), (ObjectNode) json("{'b':{'c':2}}"));

    assertThat(live).isEqualTo(json("{'b':{'c':2},'foreign':4}"));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
