// `local_cache`: the store of the master, which has every return without a returner.
import { defineReturner } from '../../../sdk/mod.ts'

export default defineReturner({
  name: 'local_cache',
  doc: 'Do nothing: the master stores returns itself.',
  functions: { returner: () => undefined, save_load: () => undefined, event_return: () => undefined },
})
