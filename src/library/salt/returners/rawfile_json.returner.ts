// `rawfile_json`: writes returns and events as lines of JSON to a file.
import { type Dict, dumpJson, str } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = { filename: '/var/log/salt/events', mode: 'a' }

async function write(ctx: FunctionContext, lines: readonly Dict[], ret?: Dict): Promise<void> {
  const { filename } = await returnerOptions(ctx, 'rawfile_json', DEFAULTS, ret)
  await ctx.host.append(str(filename), lines.map((line) => `${dumpJson(line)}\n`).join(''))
}

export default defineReturner({
  name: 'rawfile_json',
  doc: 'Write returns and events to a file, one line of JSON for each.',
  functions: {
    returner: (ctx, ret) => write(ctx, [ret], ret),
    event_return: (ctx, events) => write(ctx, events),
  },
})
