// Documentation and arguments of a function, from its declaration, in the forms Salt shows.
import { type Dict, repr, str, type Value } from '../../../../data/mod.ts'
import { type FunctionDeclaration, signatureOf } from '../../../../sdk/mod.ts'

export type Documented = Pick<FunctionDeclaration, 'doc' | 'args' | 'examples' | 'calledAs' | 'returns'>

/** Return the documentation of a function: purpose, arguments, result, examples. */
export function documentation({ doc, args, examples, returns }: Documented): string {
  const lines = [doc, '']
  for (const [name, { doc: meaning, default: fallback, kind }] of Object.entries(args)) {
    // users' own functions say all in one text
    if (meaning === '') continue
    const given = fallback === undefined || kind === 'rest' || kind === 'open' ? '' : ` : ${repr(fallback)}`
    lines.push(`${mark(kind)}${name}${given}`, `    ${meaning}`, '')
  }
  if (returns) lines.push(`Returns: ${returns.doc}`, '')
  if (examples && examples.length > 0) lines.push('CLI Example:', '', ...examples.map((line) => `    ${line}`), '')
  return lines.length === 2 ? doc : lines.join('\n')
}

const mark = (kind: string): string => (kind === 'rest' ? '*' : kind === 'open' ? '**' : '')

/**
 * Return the keyword-only arguments, which Salt lists after the rest; except for functions of Brine that take further
 * keywords, because Salt's functions take such names there.
 */
function keywordOnly({ args }: Documented, positional: readonly string[]): string[] {
  const parameters = Object.entries(args)
  const isOpen = parameters.some(([, { kind }]) => kind === 'open')
  if (isOpen && parameters.some(([, { doc }]) => doc !== '')) return []
  const isNamed = (name: string, kind: string): boolean => name !== '' && kind !== 'rest' && kind !== 'open'
  return parameters.flatMap(([name, { kind }]) => (isNamed(name, kind) && !positional.includes(name) ? [name] : []))
}

/** Replace the markup in docstrings of Python functions by plain text; null if there is no text. */
export function plainText(doc: string): string | null {
  const text = doc
    .replace(/ *.. code-block:: \S+\n{1,2}/g, '')
    .replaceAll('.. note::', 'Note:')
    .replaceAll('.. warning::', 'Warning:')
    .replaceAll('.. versionadded::', 'New in version')
    .replaceAll('.. versionchanged::', 'Changed in version')
  return text === '' ? null : text
}

export function argumentReport(declaration: Documented): Dict {
  const { positional, required, rest, open } = signatureOf(declaration, '')
  const further = keywordOnly(declaration, positional)
  const names = [...positional, ...further]
  const given = [...positional.slice(required), ...further].map((name) => declaration.args[name]!.default)
  const defaults = given.filter((value) => value !== undefined)
  return new Map<Value, Value>([
    ['args', names.length > 0 ? names : null],
    ['defaults', defaults.length > 0 ? defaults : null],
    ['varargs', rest && !Object.hasOwn(declaration.args, '') ? true : null],
    ['kwargs', open ? true : null],
  ])
}

const TYPES = ['boolean', 'integer', 'number', 'string']

/** Return a schema in which every argument may be a boolean, a number or text: in Salt, states declare no more. */
export function schemaOf(name: Value, spec: Value): Dict {
  const report = spec as Dict
  const args = (report.get('args') ?? []) as string[]
  const defaults = (report.get('defaults') ?? []) as Value[]
  const properties: Dict = new Map()
  for (const [i, parameter] of args.entries()) {
    const fallback = defaults[i - (args.length - defaults.length)]
    const shared: [Value, Value][] = [
      ['title', parameter],
      ['description', parameter],
    ]
    if (fallback !== undefined && fallback !== null) shared.push(['default', fallback])
    const forms = TYPES.map((type) => new Map<Value, Value>([['type', type], ...shared]))
    properties.set(parameter, new Map([['oneOf', forms]]))
  }
  return new Map<Value, Value>([
    ['$schema', 'http://json-schema.org/draft-04/schema#'],
    ['title', str(name)],
    ['description', str(name)],
    ['type', 'object'],
    ['properties', properties],
    ['x-ordering', [...args]],
    ['additionalProperties', false],
  ])
}
