package dev.loadgen.contract;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.NumberDeserializers.DoubleDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import java.util.List;

/**
 * Reads numbers, and leaves out those that are none: Kubernetes takes no {@code NaN} and no
 * infinity, and would refuse the whole status for one of them. Their paths go into the list of the
 * reader's attribute {@link #LEFT_OUT}.
 */
final class FiniteNumbers extends StdScalarDeserializer<Double> {
  static final String LEFT_OUT = "leftOut";

  private static final long serialVersionUID = 1;
  private static final DoubleDeserializer ANY = new DoubleDeserializer(Double.class, null);

  FiniteNumbers() {
    super(Double.class);
  }

  @Override
  public Double deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    Double number = ANY.deserialize(parser, context);
    if (number == null || Double.isFinite(number)) {
      return number;
    }
    @SuppressWarnings("unchecked") // only readSummary sets it
    List<String> leftOut = (List<String>) context.getAttribute(LEFT_OUT);
    leftOut.add(
        parser.getParsingContext().pathAsPointer().toString().substring(1).replace('/', '.'));
    return null;
  }
}
