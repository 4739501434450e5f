// What returners have kept of jobs: by number, by function, and for whom.
import { SaltError, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

async function ask(ctx: FunctionContext, returner: string, fun: string, ...args: Value[]): Promise<Value> {
  const found = await ctx.returner(returner, fun)
  if (!found) throw new SaltError('CommandExecutionError', `The returner ${returner}.${fun} is not available`)
  return found(...args)
}

const returner = arg.text('The returner, such as redis')

export default defineModule({
  name: 'ret',
  doc: 'Ask returners for what they have kept.',
  functions: {
    get_jid: reads({
      doc: 'What minions returned for a job.',
      args: { returner, jid: arg.text('The number of the job') },
      returns: ret.any('Returns by minion'),
      example: 'ret.get_jid redis 20421104181954700505',
      run: (ctx, { returner, jid }) => ask(ctx, returner, 'get_jid', jid),
    }),
    get_fun: reads({
      doc: 'The last return of each minion for a function.',
      args: { returner, fun: arg.text('The function') },
      returns: ret.any('Returns by minion'),
      example: 'ret.get_fun mysql network.interfaces',
      run: (ctx, { returner, fun }) => ask(ctx, returner, 'get_fun', fun),
    }),
    get_jids: reads({
      doc: 'All jobs that a returner knows.',
      args: { returner },
      returns: ret.any('Jobs by number'),
      example: 'ret.get_jids mysql',
      run: (ctx, { returner }) => ask(ctx, returner, 'get_jids'),
    }),
    get_minions: reads({
      doc: 'All minions that a returner has heard of.',
      args: { returner },
      returns: ret.any('Their ids'),
      example: 'ret.get_minions mysql',
      run: (ctx, { returner }) => ask(ctx, returner, 'get_minions'),
    }),
  },
})
