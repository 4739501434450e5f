// Shows a chain of causes and effects (`trace.show`) as a tree: a line for each link with its place and result, and its
// effects below it. Other data is shown as nested.
import { isDict, isList, str, type Value } from '../data/mod.ts'
import { attributeError, type Outputter } from './outputter.ts'

export const trace: Outputter = (data, screen) => {
  if (!isDict(data) || !data.has('link')) throw attributeError(data, 'link')
  const { RED, GREEN, CYAN, YELLOW, ENDC } = screen.colors
  const lines: string[] = []
  draw(data, '', '')
  return lines.join('\n')

  function draw(node: ReadonlyMap<Value, Value>, first: string, rest: string): void {
    const text = (name: string): string => (node.has(name) ? str(node.get(name)!) : '')
    const state = text('state')
    const color = /fail|no return|interrupted/.test(state) ? RED : state === 'changed' ? CYAN : GREEN
    const shown = state === '' ? '' : `  ${color}${state}${ENDC}`
    const place = text('place') === '' ? '' : `  ${YELLOW}${text('place')}${ENDC}`
    const words = [text('link'), text('number'), text('what')].filter((word) => word !== '')
    const time = text('time') === '' ? '' : `  ${text('time').slice(0, 23)}`
    lines.push(`${first}${words.join(' ')}${place}${shown}${time}`)
    const next = node.get('next') ?? []
    const children = isList(next) ? next.filter(isDict) : []
    const margin = `${rest}${children.length > 0 ? '│  ' : '   '}`
    for (const line of detailLines(node.get('detail'))) lines.push(`${margin}${line}`)
    if (text('error') !== '') for (const line of text('error').split('\n')) lines.push(`${margin}${RED}${line}${ENDC}`)
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1
      draw(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`)
    }
  }

  function detailLines(detail: Value | undefined): string[] {
    if (detail === undefined || detail === null) return []
    const text = typeof detail === 'string' ? detail : (screen.show('yaml', detail, new Map()) ?? '')
    return text === '' ? [] : text.trimEnd().split('\n')
  }
}
