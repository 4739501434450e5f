// Parser of the output of `df`, by mount point. Columns depend on the kernel. As in Salt, a line with too few columns discards
// all entries before it.
import { type Dict, dictFrom, intFromText, splitWords, type Value } from '../../../../data/mod.ts'

const isCount = (word: string): boolean => /^\d+$/.test(word)

/** Return the columns of each line, without the heading. A name with spaces is one column; `joined` joins broken lines. */
export function mountRows(lines: readonly string[], { joined }: { joined: boolean }): string[][] {
  const rows: string[][] = []
  let before = ''
  for (const line of lines) {
    if (line === '' || line.startsWith('Filesystem')) continue
    const words = splitWords(before === '' ? line : `${before} ${line}`)
    if (joined && words.length === 1) {
      before = words[0]!
      continue
    }
    before = ''
    const size = words.findIndex((word, at) => at > 0 && isCount(word))
    if (size > 0) rows.push([words.slice(0, size).join(' '), ...words.slice(size)])
  }
  return rows
}

type Cells = (words: readonly string[]) => Readonly<Record<string, Value>>

/** Return the cells by the column of the mount point. */
function keyed(rows: readonly string[][], mount: number, cells: Cells, unreadable: () => void): Dict {
  const found: Dict = new Map()
  for (const words of rows) {
    const path = words[mount]
    if (path === undefined) {
      unreadable()
      found.clear()
    } else found.set(path, dictFrom(cells(words)))
  }
  return found
}

const named =
  (names: readonly string[], at: readonly number[] = [...names.keys()]): Cells =>
  (words) =>
    Object.fromEntries(names.map((name, i) => [name, words[at[i]!]!]))

export function usageByMount(rows: readonly string[][], kernel: string, unreadable: () => void): Dict {
  if (kernel !== 'Darwin') {
    return keyed(rows, 5, named(['filesystem', '1K-blocks', 'used', 'available', 'capacity']), unreadable)
  }
  const names = ['filesystem', '512-blocks', 'used', 'available', 'capacity', 'iused', 'ifree', '%iused']
  return keyed(rows, 8, named(names), unreadable)
}

export function percentByMount(rows: readonly string[][], kernel: string, unreadable: () => void): Dict {
  const all = usageByMount(rows, kernel, unreadable)
  return new Map([...all].map(([path, row]) => [path, (row as Dict).get('capacity')!]))
}

const INODES = ['inodes', 'used', 'free', 'use', 'filesystem']

export function inodesByMount(lines: readonly string[], kernel: string, unreadable: () => void): Dict {
  const rows = lines
    .filter((line) => !line.startsWith('Filesystem'))
    .map((line) => splitWords(line))
    .filter((words) => words.length > 0)
  if (kernel === 'AIX') return keyed(rows, 6, named(INODES, [4, 5, 2, 5, 0]), unreadable)
  if (kernel !== 'OpenBSD') return keyed(rows, 5, named(INODES, [1, 2, 3, 4, 0]), unreadable)
  const counted: Cells = (words) => ({
    inodes: Number(intFromText(words[5]!)) + Number(intFromText(words[6]!)),
    ...named(INODES.slice(1), [5, 6, 7, 0])(words),
  })
  return keyed(rows, 8, counted, unreadable)
}
