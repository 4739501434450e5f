// `syslog`: returns as lines of JSON to the system's log, by the program that every system has for it.
import { type Dict, dumpJson, isList, str } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = { level: 'LOG_INFO', facility: 'LOG_USER', tag: 'salt-minion', options: [] }

const word = (name: string): string => name.replace(/^LOG_/, '').toLowerCase()

async function write(ctx: FunctionContext, lines: readonly Dict[], ret?: Dict): Promise<void> {
  const { level, facility, tag, options } = await returnerOptions(ctx, 'syslog', DEFAULTS, ret)
  const priority = `${word(str(facility))}.${word(str(level))}`
  const wantsPid = isList(options) && options.some((option) => str(option) === 'LOG_PID')
  for (const line of lines) {
    const argv = ['logger', '-p', priority, '-t', str(tag), ...(wantsPid ? ['--id'] : []), '--', dumpJson(line)]
    const { retcode } = await ctx.host.run({ argv })
    if (retcode !== 0) ctx.log('error', `logger ended with ${retcode}`)
  }
}

export default defineReturner({
  name: 'syslog',
  doc: 'Write returns and events to the system log.',
  functions: {
    returner: (ctx, ret) => write(ctx, [ret], ret),
    event_return: (ctx, events) => write(ctx, events),
  },
})
