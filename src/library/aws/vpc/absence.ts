// Resources of a network that a state removes by their names.
import { type Dict, str, truthy } from '../../../data/mod.ts'
import { changed, ensure, failed, type StateContext, type StateReturn, settled } from '../../../sdk/mod.ts'
import { errorOf } from '../common/state-calls.ts'

interface Absence {
  /** The resource in texts, at the start of a sentence and within one. */
  title: string
  word: string
  key: string
  missing: string
  look: () => Promise<Dict>
  remove: () => Promise<Dict>
  /** `is` in texts, or `are`. */
  verb?: string
}

/** Ensure that a resource does not exist. */
export const ensureAbsent = (
  ctx: StateContext,
  name: string,
  { title, word, key, missing, look, remove, verb = 'is' }: Absence,
): Promise<StateReturn> =>
  ensure(ctx, {
    name,
    look: async () => {
      const found = await look()
      if (found.has('error')) return failed(`Failed to delete ${word}: ${errorOf(found)}.`)
      return truthy(found.get('id') ?? null) ? str(found.get('id')!) : settled(missing)
    },
    foresee: () => `${title} ${name} ${verb} set to be removed.`,
    act: async (id) => {
      const gone = await remove()
      if (!truthy(gone.get('deleted') ?? false)) return failed(`Failed to delete ${word}: ${errorOf(gone)}.`)
      return changed(`${title} ${name} deleted.`, { old: { [key]: id }, new: { [key]: null } })
    },
  })
