// Configuration of Apache from data: a mapping or a list with `this` is a section, a text is a directive.
import { isDict, isList, SaltError, str, type Value } from '../../../../data/mod.ts'

const hasThis = (item: Value): boolean => isDict(item) && item.has('this')

function listText(items: readonly Value[], slot: string): string {
  const named = items.filter(hasThis).at(-1)
  if (named === undefined) return items.map((item) => `${directiveText(item, slot)}\n`).join('')
  const title = isDict(named) ? str(named.get('this')!) : ''
  const inner = items.flatMap((item) => (isDict(item) ? [...item] : [])).filter(([key]) => key !== 'this')
  const lines = inner.map(([key, value]) => `${directiveText(value, str(key))}\n`)
  return `<${slot} ${title}>\n${lines.join('')}</${slot}>\n`
}

/** One directive or section, by its name and its value. */
function directiveText(value: Value, slot: string): string {
  if (typeof value === 'string') return slot === '' ? value : `${slot} ${value}`
  if (isList(value)) return listText(value as Value[], slot)
  if (!isDict(value)) return ''
  if (!value.has('this')) {
    const message = `Apache section container "<${slot}>" expects attribute. Specify it using key "this".`
    throw new SaltError('SaltException', message)
  }
  const lines = [...value].map(([key, inner]) => {
    if (key === 'this' || !(typeof inner === 'string' || isList(inner) || isDict(inner))) return ''
    return `${directiveText(inner, str(key))}\n`
  })
  return `<${slot} ${str(value.get('this')!)}>\n${lines.join('')}</${slot}>\n`
}

/** Write a whole configuration: a list of mappings, whose first key is used. */
export function configText(config: readonly Value[]): string {
  const parts = config.map((entry) => {
    const [key, value] = [...(isDict(entry) ? entry : new Map<Value, Value>())][0] ?? ['', '']
    return directiveText(value, str(key))
  })
  return parts.join('\n')
}
