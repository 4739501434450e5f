// Machines of Google Compute Engine.
import { defineDriver } from '../../../sdk/mod.ts'
import { GceAccount } from './account.ts'
import { actions } from './actions.ts'
import { functions } from './functions.ts'
import { machine, provider } from './settings.ts'

export default defineDriver({
  name: 'gce',
  doc: 'Machines of Google Compute Engine.',
  provider,
  machine,
  actions,
  functions,
  open: (ctx, settings) => new GceAccount(ctx, settings),
})
