// Shows and stops the batches of the master. Their states are in the cache, bank `batch`.
import { type Dict, isDict, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, batchCount, defineRunner, isBatchOver, type MasterContext, masterFn } from '../../../sdk/mod.ts'

function stateOf(ctx: MasterContext, jid: string): Dict | undefined {
  const state = ctx.cache.bank('batch').fetch(jid)
  return state !== undefined && isDict(state) ? state : undefined
}

function summary(state: Dict): Dict {
  const of = (name: string): [Value, Value] => [name, state.get(name) ?? null]
  const last = numberOf(state.get('last_progress') ?? null)
  return new Map<Value, Value>([
    of('jid'),
    of('fun'),
    of('tgt'),
    of('tgt_type'),
    ['total', batchCount(state.get('all_minions'))],
    ['completed', batchCount(state.get('done'))],
    ['active', batchCount(state.get('active'))],
    ['pending', batchCount(state.get('pending'))],
    ['failed', batchCount(state.get('failed'))],
    of('batch_size'),
    of('halted'),
    of('halted_reason'),
    of('driver'),
    of('user'),
    of('created'),
    of('last_progress'),
    ['age_seconds', last === undefined ? null : Date.now() / 1000 - last],
  ])
}

const jid = arg.text('Job id')

export default defineRunner({
  name: 'batch',
  doc: 'Show and stop batches.',
  functions: {
    status: masterFn({
      doc: 'Return the progress of a batch, or nothing if the job id is unknown.',
      args: { jid },
      examples: ['salt-run batch.status 20260101000000000000'],
      run: (ctx, args) => {
        const state = stateOf(ctx, args.jid)
        return state ? summary(state) : null
      },
    }),
    list_active: masterFn({
      doc: 'Return the batches that are running.',
      examples: ['salt-run batch.list_active'],
      run: (ctx) => {
        const states = ctx.cache
          .bank('batch')
          .list()
          .sort()
          .map((each) => stateOf(ctx, each))
        return states.filter((state) => state !== undefined && !isBatchOver(state)).map((state) => summary(state!))
      },
    }),
    stop: masterFn({
      doc: 'Start no further minions. Return False if the batch is unknown or already stopped.',
      args: { jid, kill: arg.boolean('Also end the job on the minions that are running it', { default: false }) },
      examples: ['salt-run batch.stop 20260101000000000000'],
      run: async (ctx, args) => {
        const number = args.jid
        const state = stateOf(ctx, number)
        if (!state || truthy(state.get('halted') ?? false)) return false
        const active = state.get('active')
        const ids = active !== undefined && isDict(active) ? [...active.keys()].map(str).sort() : []
        if (args.kill && ids.length > 0) {
          await ctx.publish({ tgt: ids, tgtType: 'list', fun: 'saltutil.kill_job', arg: [number] })
        }
        await ctx.fire(`salt/batch/${number}/stop`, new Map([['jid', number]]).set('reason', 'stop'))
        return true
      },
    }),
  },
})
