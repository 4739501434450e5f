// Reads the jobs and returns that returners have stored.
import { failure, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

async function ask(ctx: FunctionContext, returner: string, fun: string, ...args: Value[]): Promise<Value> {
  const found = await ctx.returner(returner, fun)
  if (!found) throw failure(`The returner ${returner}.${fun} is not available`)
  return found(...args)
}

const returner = arg.text('Returner, such as `redis`')

export default defineModule({
  name: 'ret',
  doc: 'Read the jobs and returns that returners have stored.',
  functions: {
    get_jid: reads({
      doc: 'Return the stored returns of a job.',
      args: { returner, jid: arg.text('Job id') },
      returns: ret.any('Returns by minion id'),
      example: 'ret.get_jid redis 20421104181954700505',
      run: (ctx, { returner, jid }) => ask(ctx, returner, 'get_jid', jid),
    }),
    get_fun: reads({
      doc: 'Return the last return of each minion for a function.',
      args: { returner, fun: arg.text('Function') },
      returns: ret.any('Returns by minion id'),
      example: 'ret.get_fun mysql network.interfaces',
      run: (ctx, { returner, fun }) => ask(ctx, returner, 'get_fun', fun),
    }),
    get_jids: reads({
      doc: 'Return all jobs that a returner has stored.',
      args: { returner },
      returns: ret.any('Jobs by job id'),
      example: 'ret.get_jids mysql',
      run: (ctx, { returner }) => ask(ctx, returner, 'get_jids'),
    }),
    get_minions: reads({
      doc: 'Return all minions of which a returner has stored returns.',
      args: { returner },
      returns: ret.any('Minion ids'),
      example: 'ret.get_minions mysql',
      run: (ctx, { returner }) => ask(ctx, returner, 'get_minions'),
    }),
  },
})
