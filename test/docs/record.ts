// `node --import tsx test/docs/record.ts docs/tutorial.md`: writes the real output below each command of a document whose printed output
// differs. The author then shortens it with `…`.
import { readFileSync, writeFileSync } from 'node:fs'
import { MINIONS } from '../../tools/up/site.ts'
import { type Step, stepsOf } from './blocks.ts'
import { isShown } from './compare.ts'
import { DocumentSite } from './document-site.ts'

const [path = ''] = process.argv.slice(2)
const lines = readFileSync(path, 'utf8').split('\n')

/** Return the lines of a document with the printed output of one command replaced. */
function replaced(step: Step & { kind: 'command' }, output: string): void {
  const first = step.line - 1 + step.command.split('\n').length
  const indent = /^ */.exec(lines[step.line - 1]!)![0]
  const count = step.shown === '' ? 0 : step.shown.split('\n').length
  const text = output.trimEnd().split('\n')
  const printed = output.trim() === '' ? [] : text.map((line) => (indent + line).trimEnd())
  lines.splice(first, count, ...printed)
}

const site = new DocumentSite()
const done: [step: Step & { kind: 'command' }, output: string][] = []
try {
  await site.open()
  for (const step of stepsOf(lines.join('\n'))) {
    const { output } = await site.perform(step)
    if (step.kind === 'command' && !isShown(step.shown, output, MINIONS)) done.push([step, output])
  }
} finally {
  await site.close()
}
for (const [step, output] of done.reverse()) replaced(step, output)
writeFileSync(path, lines.join('\n'))
process.stdout.write(`${done.length} outputs of ${path} are new\n`)
