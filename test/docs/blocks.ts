// Reads the commands and files of a document. A fenced block `console` holds commands after `$ ` and the output below each of them; a
// block with `file=PATH` after its language is a file that the reader creates. A comment `<!-- $ command -->` is run and not shown: it makes the
// trouble that a page describes. The rules for authors are in docs/contributing.md.

export interface CommandStep {
  kind: 'command'
  /** Line of the document, counted from 1. */
  line: number
  command: string
  /** The printed output, or nothing where the document does not show it. */
  shown: string
}

export interface FileStep {
  kind: 'file'
  line: number
  path: string
  text: string
}

export type Step = CommandStep | FileStep

const FENCE = /^( *)```(.*)$/

/** Return the steps of a document in their order. */
export function stepsOf(markdown: string): Step[] {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  for (let at = 0; at < lines.length; at++) {
    const hidden = /^<!-- \$ (.*) -->$/.exec(lines[at]!)?.[1]
    if (hidden !== undefined) steps.push({ kind: 'command', line: at + 1, command: hidden, shown: '' })
    const [, indent = '', info = ''] = FENCE.exec(lines[at]!) ?? []
    if (!FENCE.test(lines[at]!)) continue
    const first = at + 1
    do at++
    while (at < lines.length && !FENCE.test(lines[at]!))
    if (at === lines.length) throw new Error(`The block that begins in line ${first} has no end`)
    const body = lines.slice(first, at).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    const file = /\bfile=(\S+)/.exec(info)?.[1]
    if (file !== undefined) steps.push({ kind: 'file', line: first, path: file, text: `${body.join('\n')}\n` })
    else if (info.trim() === 'console') steps.push(...commandsOf(body, first + 1))
  }
  return steps
}

function commandsOf(body: readonly string[], firstLine: number): CommandStep[] {
  const steps: CommandStep[] = []
  for (let at = 0; at < body.length; ) {
    if (!body[at]!.startsWith('$ ')) throw new Error(`Line ${firstLine + at}: a console block begins with '$ '`)
    const end = commandEnd(body, at)
    let next = end
    while (next < body.length && !body[next]!.startsWith('$ ')) next++
    const command = [body[at]!.slice(2), ...body.slice(at + 1, end)].join('\n')
    steps.push({ kind: 'command', line: firstLine + at, command, shown: body.slice(end, next).join('\n') })
    at = next
  }
  return steps
}

/** Return the index behind a command, with its continued lines and the text of `<<'END'`. */
function commandEnd(body: readonly string[], start: number): number {
  let end = start + 1
  while (body[end - 1]!.endsWith('\\') && end < body.length) end++
  const word = /<<'?(\w+)'?/.exec(body[start]!)?.[1]
  if (word === undefined) return end
  const last = body.indexOf(word, end)
  if (last < 0) throw new Error(`The text of '${body[start]}' has no line '${word}'`)
  return last + 1
}
