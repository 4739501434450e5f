// MarkupSafe's Markup: text that is HTML already. Joining it with plain text escapes the plain text.
import { type BinaryOp, isInt, mul, PyStr, quote, str, textOf, type Value } from '../../data/mod.ts'

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
    return op === '*' && (isInt(other) || typeof other === 'boolean')
      ? new Markup(str(mul(this.value, other)))
      : undefined
  }
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
