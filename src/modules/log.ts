// Lines in the minion's log, for templates and the command line.
import { str, type Value } from '../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, ret } from '../sdk/mod.ts'

type Level = Parameters<FunctionContext['log']>[0]

const line = (name: string, level: Level) =>
  fn({
    doc: `Write a line to the log, at level ${level}.`,
    args: { message: arg.any('The text') },
    returns: ret.boolean('True'),
    examples: [`salt '*' log.${name} foobar`],
    effect: 'read',
    run: (ctx, { message }: { message: Value }) => {
      ctx.log(level, str(message))
      return true
    },
  })

export default defineModule({
  name: 'logmod',
  virtual: 'log',
  doc: 'Write to the log.',
  functions: {
    debug: line('debug', 'debug'),
    info: line('info', 'info'),
    warning: line('warning', 'warning'),
    error: line('error', 'error'),
    critical: line('critical', 'critical'),
    exception: line('exception', 'error'),
  },
})
