// Deletes or rejects the keys of minions that no longer report their status.
import { type Dict, float, isDict, isList, numberOf, str } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, state, THORIUM_USER, thoriumOf } from '../../../sdk/mod.ts'
import { masterOf } from './reach.ts'
import { registered } from './register.ts'

async function acceptedKeys(ctx: StateContext): Promise<string[]> {
  const call = { name: 'key.list', args: ['accepted'], kwargs: new Map(), user: THORIUM_USER }
  const { value } = await masterOf(ctx).call('wheel', call)
  const ids = isDict(value) ? (value.get('minions') ?? []) : []
  return isList(ids) ? [...ids].map(str) : []
}

/** Return the time of the last status of a minion; without a status, the time when it was first missed. */
function lastHeard(ctx: StateContext, id: string, status: Dict): number {
  const report = status.get(id)
  const now = ctx.host.now()
  if (report !== undefined && isDict(report)) return numberOf(report.get('recv_time') ?? now) ?? now
  const { kept } = thoriumOf(ctx)
  const missed = (kept.get('key_start_tracker') ?? new Map()) as Dict
  kept.set('key_start_tracker', missed)
  if (!missed.has(id)) missed.set(id, float(now))
  return numberOf(missed.get(id)!) ?? now
}

function forget(ctx: StateContext, id: string, status: Dict): void {
  status.delete(id)
  const missed = thoriumOf(ctx).kept.get('key_start_tracker')
  if (missed instanceof Map) missed.delete(id)
}

export default defineState({
  name: 'key',
  doc: 'Delete or reject the keys of minions that no longer report their status.',
  functions: {
    timeout: state({
      doc: 'Delete or reject the keys of minions whose status is too old. `status.reg` must run before.',
      args: {
        name: arg.string('Any text'),
        delete: arg.number('Seconds after which a key is deleted; 0 for never', { default: 0 }),
        reject: arg.number('Seconds after which a key is rejected; 0 for never', { default: 0 }),
      },
      run: async (ctx, { name, delete: deleting, reject: rejecting }) => {
        const value = registered(ctx, 'status')
        const status: Dict = value !== undefined && isDict(value) ? value : new Map()
        const changes: Dict = new Map()
        const limits = [
          ['delete', numberOf(deleting) ?? 0],
          ['reject', numberOf(rejecting) ?? 0],
        ] as const
        for (const id of await acceptedKeys(ctx)) {
          const age = ctx.host.now() - lastHeard(ctx, id, status)
          const action = limits.find(([, seconds]) => seconds > 0 && age > seconds)?.[0]
          if (!action) continue
          await masterOf(ctx).call('wheel', {
            name: `key.${action}`,
            args: [id],
            kwargs: new Map(),
            user: THORIUM_USER,
          })
          forget(ctx, id, status)
          changes.set(id, action)
        }
        return reportOn(name)(true, '', changes)
      },
    }),
  },
})
