// Secrets of Vault. No report shows their values.
import { type Dict, equals, isDict, isFailure, misuse, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'
import { mergePatch } from './kv.ts'

const name = arg.text('Path of the secret, with its mount')

/** Return the secret, null if there is none, or a verdict if it cannot be read. */
async function secretAt(ctx: StateContext, path: string): Promise<Dict | null | Verdict> {
  try {
    // version 0 is the latest one; with a version the last part of the path is never taken for a field
    const found = await ctx.call('vault.read_secret', [path], { version: 0 })
    return isDict(found) ? found : null
  } catch (error) {
    if (!isFailure(error)) throw error
    return error.message.includes('VaultNotFoundError') ? null : failed(error.message)
  }
}

const isVerdict = (found: Dict | null | Verdict): found is Verdict => found !== null && !isDict(found as Value)

/** The kinds of removal, and the words for them. */
const REMOVALS: Readonly<Record<string, string>> = { delete: 'deleted', destroy: 'destroyed', wipe: 'wiped' }

export default defineState({
  name: 'vault_secret',
  doc: 'Secrets of Vault.',
  functions: {
    present: state({
      doc: 'Ensure that a secret exists and has these fields.',
      args: {
        name,
        values: arg.dict('Fields of the secret; one that is None is removed', { secret: true }),
        sync: arg.flag('Whether fields that are not named are removed', { default: false }),
      },
      run: (ctx, { name, values, sync }) =>
        ensure<{ verb: string; done: string }>(ctx, {
          name,
          look: async () => {
            const current = await secretAt(ctx, name)
            if (isVerdict(current)) return current
            const wanted = sync || current === null ? values : mergePatch(current, values)
            if (current !== null && equals(wanted, current))
              return settled('The secret is already present as specified')
            return current !== null && !sync ? { verb: 'patch', done: 'patched' } : { verb: 'write', done: 'written' }
          },
          foresee: ({ done }) => foreseen(`Would have ${done} the secret`, { [done]: name }),
          act: async ({ verb, done }) => {
            const answer: Value = await ctx.call(`vault.${verb}_raw`, [name, values])
            if (!truthy(answer)) return failed(`Failed to ${verb} secret, see logs for details`)
            return changed(`The secret was ${done}`, { [done]: name })
          },
        }),
    }),
    absent: state({
      doc: 'Ensure that a secret cannot be read.',
      args: {
        name,
        operation: arg.text(
          '`delete`, `destroy` or `wipe`: whether the latest version can be restored, is gone, or all are',
          { default: 'delete' },
        ),
      },
      run: (ctx, { name, operation }) => {
        const done = Object.hasOwn(REMOVALS, operation) ? REMOVALS[operation]! : undefined
        if (done === undefined)
          throw misuse(`Invalid value for operation: '${operation}'. Must be one of: delete, destroy, wipe`)
        return ensure(ctx, {
          name,
          look: async () => (await secretAt(ctx, name)) ?? settled('The secret is already absent'),
          foresee: () => foreseen(`Would have ${done} the secret`, { [done]: name }),
          act: async () => {
            const answer: Value = await ctx.call(`vault.${operation}_secret`, [name])
            if (!truthy(answer)) return failed(`Failed to ${operation} secret, see logs for details`)
            return changed(`The secret has been ${done}`, { [done]: name })
          },
        })
      },
    }),
  },
})
