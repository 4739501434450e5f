// Splits a format template into literal text and replacement fields: `{name!conversion:spec}`, `{{` and `}}`.
import { valueError } from '../errors.ts'

export interface ReplacementField {
  name: string
  /** One character, or nothing. */
  conversion: string
  spec: string
}

export interface TemplatePart {
  literal: string
  field?: ReplacementField
}

export function* parseTemplate(template: string): Generator<TemplatePart> {
  let at = 0
  while (at < template.length) {
    let literal = ''
    let inField = false
    while (at < template.length && !inField) {
      const brace = template.slice(at).search(/[{}]/)
      const end = brace < 0 ? template.length : at + brace
      literal += template.slice(at, end)
      at = end + 1
      if (brace < 0) break
      const char = template[end]!
      if (template[at] === char) {
        literal += char
        at++
      } else if (char === '}' || at >= template.length) {
        throw valueError(`Single '${char}' encountered in format string`)
      } else inField = true
    }
    if (!inField) {
      yield { literal }
      return
    }
    const [field, end] = parseField(template, at)
    at = end
    yield { literal, field }
  }
}

/** The field that begins after its brace, and where the template goes on. */
function parseField(template: string, start: number): [ReplacementField, number] {
  let at = start
  let inBrackets = false
  for (; at < template.length; at++) {
    const char = template[at]!
    if (inBrackets) inBrackets = char !== ']'
    else if (char === '[') inBrackets = true
    else if (char === '{') throw valueError("unexpected '{' in field name")
    else if (char === '}' || char === ':' || char === '!') break
  }
  const name = template.slice(start, at)
  const stop = template[at]
  if (stop === undefined) throw valueError("expected '}' before end of string")
  at++
  if (stop === '}') return [{ name, conversion: '', spec: '' }, at]
  let conversion = ''
  if (stop === '!') {
    if (at >= template.length) throw valueError('end of string while looking for conversion specifier')
    conversion = String.fromCodePoint(template.codePointAt(at)!)
    at += conversion.length
    const after = template[at]
    if (after === '}') return [{ name, conversion, spec: '' }, at + 1]
    if (after !== undefined && after !== ':') throw valueError("expected ':' after conversion specifier")
    at++
  }
  const end = specEnd(template, at)
  return [{ name, conversion, spec: template.slice(at, end) }, end + 1]
}

/** Return the position of the field's closing brace; braces of nested fields are skipped in pairs. */
function specEnd(template: string, start: number): number {
  let open = 1
  for (let at = start; at < template.length; at++) {
    if (template[at] === '{') open++
    else if (template[at] === '}' && --open === 0) return at
  }
  throw valueError("unmatched '{' in format spec")
}
