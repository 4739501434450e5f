// Scalars for templates that write YAML by hand: Salt's `yaml_encode`, `yaml_dquote` and `yaml_squote`. They never
// break lines, and in double quotes they escape all characters outside ASCII.
import { str, typeError, typeName, type Value } from '../data/mod.ts'
import { DIALECTS } from './dump/dialect.ts'
import { escapeCharacter } from './dump/escapes.ts'
import { Representer } from './dump/represent.ts'
import { STR } from './tags.ts'

const NEEDS_ESCAPE = /["\\]|[^ -~]/gu
const BREAKS = /[\n\x85\u2028\u2029]+/g

/** The text in double quotes. */
export function yamlDquote(value: Value): string {
  return `"${str(value).replace(NEEDS_ESCAPE, (char) => escapeCharacter(char.codePointAt(0)!))}"`
}

/** The text in single quotes; a line feed is doubled, as reading folds one. */
export function yamlSquote(value: Value): string {
  const quoted = str(value).replaceAll("'", "''")
  return `'${quoted.replace(BREAKS, (breaks) => (breaks[0] === '\n' ? `\n${breaks}` : breaks))}'`
}

/** Any scalar: text in double quotes, everything else as YAML writes it. */
export function yamlEncode(value: Value): string {
  const node = new Representer(DIALECTS.SafeDumper, {
    defaultStyle: '',
    defaultFlowStyle: false,
    sortKeys: true,
  }).node(value)
  if (node.kind !== 'scalar') {
    throw typeError(`yaml_encode() only works with YAML scalar data; failed for <class '${typeName(value)}'>`)
  }
  return node.tag === STR ? yamlDquote(node.text) : node.text
}
