// A single template: states, without declarations that need other files.
import { compareText, type Dict, str, truthy, type Value } from '../../data/mod.ts'
import { mayRepeat } from './several-per-id.ts'
import { textKey } from './text-key.ts'
import type { CompileError } from './types.ts'

const REFUSED = ['include', 'exclude', 'extends']

/** Split `mod.fun` keys in place; return errors for invalid states. */
export function regulateTemplate(high: Value, template: string): CompileError[] {
  if (!truthy(high)) return []
  if (!(high instanceof Map)) return [{ text: `Template ${template} does not render to a dictionary` }]
  const refused = REFUSED.find((key) => high.has(key))
  if (refused !== undefined) {
    const text = `The '${refused}' declaration found on '${template}' is invalid when rendering single templates`
    return [{ text }]
  }
  return [...high].flatMap(([id, body]) => regulateId(high, id, body, template)).map((text) => ({ text }))
}

function regulateId(high: Dict, id: Value, body: Value, template: string): string[] {
  if (typeof body === 'string') {
    if (!body.includes('.')) return [`ID ${str(id)} in template ${template} is not a dictionary`]
    const [state, fun] = body.split('.') as [string, string]
    high.set(id, new Map<Value, Value>([[state, [fun]]]))
    return []
  }
  if (!(body instanceof Map)) return []
  const errors: string[] = []
  const seen = new Set<string>()
  for (const key of [...body.keys()].map(textKey).sort(compareText)) {
    if (key.startsWith('_')) continue
    const args = body.get(key)!
    const state = key.split('.')[0]!
    if (args === null) {
      errors.push(
        `ID '${str(id)}' in template ${template} contains a short declaration (${key}) with a trailing colon. ` +
          'When not passing any arguments to a state, the colon must be omitted.',
      )
    } else if (!Array.isArray(args)) continue
    else if (!key.includes('.')) seen.add(key)
    else if (mayRepeat(state)) continue
    else if (seen.has(state)) {
      errors.push(`ID '${str(id)}' in template '${template}' contains multiple state declarations of the same type`)
    } else {
      body.delete(key)
      body.set(state, args)
      args.push(key.split('.')[1]!)
      seen.add(state)
    }
  }
  return errors
}
