// Runs a command and fires an event for each line of its output that has a tag.
import { toError } from '../../../base/mod.ts'
import {
  type Dict,
  equals,
  failure,
  isDict,
  numberOf,
  repr,
  shlexSplit,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineEngine, deserialize, type EngineContext, option } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'script',
  doc: 'Run a command repeatedly, and fire an event with `tag` and `data` of each line of its output.',
  args: {
    cmd: arg.text('Command with its arguments, run without a shell'),
    output: arg.string('Format of the lines: json or yaml', { default: 'json' }),
    interval: arg.number('Seconds between the end of one run and the next', { default: 1 }),
    onchange: arg.boolean('Fire an event only if its data differ from the last event with its tag', {
      default: false,
    }),
  },
  start: async (ctx, { cmd, output, interval, onchange }) => {
    const argv = shlexSplit(cmd)
    await checkFormat(output)
    ctx.log('debug', `script engine using command ${repr(argv)}`)
    const last = onchange ? new Map<string, Value>() : undefined
    while (!ctx.signal.aborted) {
      await runOnce(ctx, argv, (line) => fireLine(ctx, line, output, last))
      await ctx.pause(numberOf(interval) ?? 1)
    }
  },
})

async function checkFormat(output: string): Promise<void> {
  try {
    await deserialize(output, '{}')
  } catch {
    const text = `Unknown serializer \`${output}\` found for output option`
    throw failure(text)
  }
}

/** Run the command once, and process its lines in order while it runs. */
async function runOnce(ctx: EngineContext, argv: string[], take: (line: Uint8Array) => Promise<void>): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let work: Promise<void> = Promise.resolve()
  const enqueue = (line: Buffer): void => {
    work = work.then(() => take(line))
  }
  const { retcode } = await ctx.host.run({
    argv,
    mergeStderr: true,
    signal: ctx.signal,
    hear: (piece) => {
      rest = Buffer.concat([rest, piece])
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        enqueue(rest.subarray(0, end + 1))
        rest = rest.subarray(end + 1)
      }
    },
  })
  if (rest.length > 0) enqueue(rest)
  await work
  if (retcode !== 0) ctx.log('error', `Command ${repr(argv)} returned non-zero exit status ${retcode}.`)
}

/** Fire the event of a line; log a line that is not valid. */
async function fireLine(
  ctx: EngineContext,
  line: Uint8Array,
  output: string,
  last?: Map<string, Value>,
): Promise<void> {
  if (Buffer.from(line).toString().trim() === '') return
  try {
    const event = await deserialize(output, line)
    if (!isDict(event)) throw new Error(`it is no mapping but ${repr(event)}`)
    const data = event.get('data') ?? new Map()
    if (!isDict(data)) throw new Error(`its data are no mapping but ${repr(data)}`)
    const tag = event.get('tag') ?? null
    if (data.size > 0 && !data.has('id')) data.set('id', option(ctx.opts, 'id'))
    if (truthy(tag)) await fireNews(ctx, str(tag), data, last)
  } catch (error) {
    ctx.log(
      'error',
      `script engine cannot use the line ${repr(Buffer.from(line).toString())}: ${toError(error).message}`,
    )
  }
}

async function fireNews(ctx: EngineContext, tag: string, data: Dict, last?: Map<string, Value>): Promise<void> {
  const known = last?.get(tag)
  if (known !== undefined && equals(known, data)) return
  ctx.log('info', `script engine firing event with tag ${tag}`)
  await ctx.fire(tag, data)
  last?.set(tag, data)
}
