// MarkupSafe's Markup: text that is HTML already. Joining it with plain text escapes the plain text.
import {
  type BinaryOp,
  float,
  floatFromText,
  formatPercent,
  getIndex,
  intFromText,
  isInt,
  mul,
  type PercentConversions,
  PyStr,
  quote,
  repr,
  sliceText,
  str,
  textOf,
  type Value,
} from '../../data/mod.ts'

export class Markup extends PyStr {
  readonly typeName = 'Markup'
  override readonly module = 'markupsafe'

  override repr(): string {
    return `Markup(${quote(this.value)})`
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    if (op === '+' && textOf(other) !== undefined) {
      const escaped = escapeValue(other).value
      return new Markup(reversed ? escaped + this.value : this.value + escaped)
    }
    if (op === '*' && (isInt(other) || typeof other === 'boolean')) return new Markup(str(mul(this.value, other)))
    return op === '%' && !reversed ? new Markup(formatPercent(this.value, other, ESCAPED)) : undefined
  }

  override getItem(key: Value): Value {
    return new Markup(str(getIndex(this.value, key)))
  }

  override getSlice(start: Value, stop: Value, step: Value): Value {
    return new Markup(sliceText(this.value, start, stop, step))
  }
}

/** Arguments of `Markup % args` are escaped when they are printed; numeric text counts as a number. */
const ESCAPED: PercentConversions = {
  str: (value) => escapeValue(value).value,
  repr: (value) => escapeText(repr(value)),
  number: (value) => (typeof value === 'string' ? textNumber(value) : value),
}

function textNumber(text: string): Value {
  const x = floatFromText(text)
  return Number.isInteger(x) && /^\s*[-+]?\d+\s*$/.test(text) ? intFromText(text) : float(x)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '>': '&gt;', '<': '&lt;', "'": '&#39;', '"': '&#34;' }

export function escapeText(text: string): string {
  return text.replace(/[&><'"]/g, (char) => ENTITIES[char]!)
}

/** `markupsafe.escape`: Markup stays as it is, anything else is printed and escaped. */
export function escapeValue(value: Value): Markup {
  if (value instanceof Markup) return value
  return new Markup(escapeText(str(value)))
}

/** `markupsafe.soft_str`: text and Markup stay, anything else is printed. */
export function softStr(value: Value): string | Markup {
  return value instanceof Markup ? value : str(value)
}

export function isMarkup(value: Value): value is Markup {
  return value instanceof Markup
}
