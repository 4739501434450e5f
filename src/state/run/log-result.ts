// One line for the log about what a state did.
import { type Dict, str, truthy, type Value } from '../../data/mod.ts'

export function describeResult(ret: Dict): string {
  const changes = ret.get('changes') ?? null
  if (!truthy(changes)) {
    const comment = ret.get('comment') ?? ''
    return truthy(comment) ? str(comment) : `No changes made for ${str(ret.get('name') ?? null)}`
  }
  if (changes instanceof Map) {
    const diff = changes.get('diff')
    if (typeof diff === 'string') return `File changed:\n${diff}`
    const pairs = [...changes]
    if (pairs.every(([, change]) => change instanceof Map && change.has('old') && change.has('new'))) {
      const lines = pairs.map(([name, change]) => changeLine(name, change as Dict))
      return `Made the following changes:\n${lines.join('')}`
    }
  }
  return str(changes)
}

function changeLine(name: Value, change: Dict): string {
  const shown = (value: Value): string => (truthy(value) || value === false || value === null ? str(value) : 'absent')
  return `'${str(name)}' changed from '${shown(change.get('old')!)}' to '${shown(change.get('new')!)}'\n`
}
