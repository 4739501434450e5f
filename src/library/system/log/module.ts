// Lines in the minion's log, for templates and the command line.
import { toError } from '../../../base/mod.ts'
import { str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

type Level = Parameters<FunctionContext['log']>[0]

/** Return the text of a message; a value without a text must not make the call fail. */
function textOf(message: Value): string {
  try {
    return str(message)
  } catch (error) {
    return `(no text: ${toError(error).message})`
  }
}

const line = (name: string, level: Level) =>
  reads({
    doc: `Write a line to the log, at level ${level}.`,
    args: { message: arg.any('Message, of any type') },
    returns: ret.boolean('True'),
    example: `log.${name} foobar`,
    run: (ctx, { message }) => {
      ctx.log(level, textOf(message))
      return true
    },
  })

export default defineModule({
  name: 'logmod',
  virtual: 'log',
  doc: 'Write to the log of the minion.',
  functions: {
    debug: line('debug', 'debug'),
    info: line('info', 'info'),
    warning: line('warning', 'warning'),
    error: line('error', 'error'),
    critical: line('critical', 'critical'),
    exception: line('exception', 'error'),
  },
})
