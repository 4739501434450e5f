// What Linux tells in the files of /proc, as dicts.
import { type Dict, float, floatFromText, splitLines, splitWords, strip, type Value } from '../../data/mod.ts'

/** An int for digits, a float for other numbers, else the text. */
export function numberIn(text: string): Value {
  if (/^\d+$/.test(text)) return Number(text)
  return /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) ? floatFromText(text) : text
}

const rows = (text: string): string[][] =>
  splitLines(text)
    .map((line) => splitWords(line))
    .filter((words) => words.length > 0)

export function loadAverages(text: string): Record<string, Value> {
  const [one, five, fifteen] = splitWords(text).map((word) => float(Number(word)))
  return { '1-min': one!, '5-min': five!, '15-min': fifteen! }
}

export function memory(text: string): Dict {
  const found: Dict = new Map()
  for (const [name, value, unit] of rows(text)) {
    const entry: Dict = new Map([['value', value!]])
    if (unit !== undefined) entry.set('unit', unit)
    found.set(name!.replaceAll(':', ''), entry)
  }
  return found
}

/** Of several processors the last one counts, as in Salt. */
export function processors(text: string): Dict {
  const found: Dict = new Map()
  for (const line of splitLines(text).filter((line) => line !== '')) {
    const [name = '', value = ''] = line.split(':').map((part) => strip(part))
    found.set(name, name === 'flags' ? splitWords(value) : value)
  }
  return found
}

export function counters(text: string): Dict {
  return new Map(rows(text).map(([name, value]) => [name!, numberIn(value!)]))
}

const CPU = { idle: 4, iowait: 5, irq: 6, nice: 2, softirq: 7, steal: 8, system: 3, user: 1 } as const

/** /proc/stat. */
export function processorTimes(text: string): Dict {
  const found: Dict = new Map()
  for (const words of rows(text)) {
    const [name, total, ...rest] = words as [string, string, ...string[]]
    const list = rest.map(numberIn)
    if (name === 'cpu') found.set(name, new Map(Object.entries(CPU).map(([key, at]) => [key, numberIn(words[at]!)])))
    else if (name === 'intr' || name === 'softirq') {
      const key = name === 'intr' ? 'irqs' : 'softirqs'
      found.set(name, new Map<Value, Value>([['total', numberIn(total)]]).set(key, list))
    } else found.set(name, numberIn(total))
  }
  return found
}

/** Mount points by the type of their file system, from /proc/mounts. */
export function mounts(text: string): { path: string; type: string }[] {
  return rows(text)
    .filter((words) => words.length >= 3)
    .map(([, path, type]) => ({ path: path!, type: type! }))
}
