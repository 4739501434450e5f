// Machines of Azure, through Azure Resource Manager.
import { defineDriver } from '../../../sdk/mod.ts'
import { AzureAccount } from './account.ts'
import { actions } from './actions.ts'
import { functions } from './functions.ts'
import { machine, provider } from './settings.ts'

export default defineDriver({
  name: 'azurearm',
  doc: 'Machines of Azure.',
  provider,
  machine,
  actions,
  functions,
  open: (ctx, settings) => new AzureAccount(ctx, settings),
})
