// Policies of Vault.
import { isFailure, splitLines, unifiedDiff } from '../../../data/mod.ts'
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

const name = arg.text('Name of the policy')

/** Do something, or report why it failed. */
async function orFailed<T>(what: string, work: () => Promise<T>): Promise<T | Verdict> {
  try {
    return await work()
  } catch (error) {
    if (isFailure(error)) return failed(`Failed to ${what} policy: ${error.message}`)
    throw error
  }
}

const rulesOf = (ctx: StateContext, name: string) =>
  orFailed('read', async () => (await ctx.call('vault.policy_fetch', [name])) ?? null)

const difference = (before: string | null, after: string): string =>
  unifiedDiff(splitLines(before ?? '', true), splitLines(after, true)).join('')

export default defineState({
  name: 'vault',
  doc: 'Policies of Vault.',
  functions: {
    policy_present: state({
      doc: 'Ensure that a policy exists and has these rules.',
      args: { name, rules: arg.text('Rules in HCL or JSON') },
      run: (ctx, { name, rules }) =>
        ensure<{ before: string | null }>(ctx, {
          name,
          look: async () => {
            const before = await rulesOf(ctx, name)
            if (before !== null && typeof before !== 'string') return before
            return before === rules ? settled('Policy exists, and has the correct content') : { before }
          },
          foresee: ({ before }) =>
            foreseen(`Policy would be ${before === null ? 'created' : 'updated'}`, {
              [name]: difference(before, rules),
            }),
          act: async ({ before }) => {
            const written = await orFailed('write', async () => ctx.call('vault.policy_write', [name, rules]))
            if (typeof written !== 'boolean') return written
            return changed(`Policy has been ${before === null ? 'created' : 'updated'}`, {
              [name]: difference(before, rules),
            })
          },
        }),
    }),
    policy_absent: state({
      doc: 'Ensure that a policy does not exist.',
      args: { name },
      run: (ctx, { name }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const before = await rulesOf(ctx, name)
            return before === null ? settled('Policy is already absent') : before
          },
          foresee: () => foreseen('Policy would be deleted', { deleted: name }),
          act: async () => {
            const deleted = await orFailed('delete', async () => ctx.call('vault.policy_delete', [name]))
            if (typeof deleted !== 'boolean') return deleted
            return changed('Policy has been deleted', { deleted: name })
          },
        }),
    }),
  },
})
