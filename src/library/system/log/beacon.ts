// New lines of a log file that match patterns.
import {
  compileRegex,
  type Dict,
  decodeBytes,
  dictFrom,
  isDict,
  PyError,
  type PyRegex,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../../../sdk/mod.ts'

const event = (tag: string, more: Record<string, Value>): Dict =>
  dictFrom({ tag, match: 'no', raw: '', error: '', ...more })

/** Compile the patterns by tag; return events for invalid ones. */
function expressions(tags: Dict): { known: Array<[string, PyRegex]>; bad: Dict[] } {
  const known: Array<[string, PyRegex]> = []
  const bad: Dict[] = []
  for (const [tag, options] of tags) {
    const regex = isDict(options) ? (options.get('regex') ?? null) : null
    if (!truthy(regex)) continue
    try {
      known.push([str(tag), compileRegex(str(regex))])
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      bad.push(event(str(tag), { error: 'bad regex' }))
    }
  }
  return { known, bad }
}

/** Read the file, which raises the error. */
async function missing(host: BeaconContext['host'], file: string): Promise<{ size: number }> {
  await host.read(file)
  return { size: 0 }
}

export default defineBeacon({
  name: 'log',
  doc: 'Report lines of a log file that match patterns.',
  validate: (config) => (config.has('file') ? undefined : 'Configuration for log beacon must contain file option.'),
  beacon: async ({ host, memory }, config) => {
    const file = str(config.get('file')!)
    const { size } = (await host.stat(file)) ?? (await missing(host, file))
    const before = memory.get('offset') as number | undefined
    memory.set('offset', size)
    // the first call only stores the end; a file that shrank is read from the start
    if (before === undefined || before === size) return []
    const offset = size < before ? 0 : before
    const text = decodeBytes(await host.read(file, { offset, length: size - offset }))
    const { known, bad } = expressions(dictOption(config, 'tags'))
    const found = splitLines(text).flatMap((line) =>
      known.filter(([, regex]) => regex.match(line)).map(([tag]) => event(tag, { raw: line, match: 'yes' })),
    )
    return [...bad, ...found]
  },
})
