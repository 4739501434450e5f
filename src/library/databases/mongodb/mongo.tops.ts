// `mongo`: the states of the document of a minion.
import { isList } from '../../../data/mod.ts'
import { arg, defineTops } from '../../../sdk/mod.ts'
import { DOCUMENT_ARGS, documentOf } from './document.ts'

export default defineTops({
  name: 'mongo',
  doc: 'The states that the document of the minion in a collection of MongoDB lists. Options `mongo.host`, `mongo.db` and others name the server.',
  args: {
    collection: arg.text('Collection', { default: 'tops' }),
    ...DOCUMENT_ARGS,
    states_field: arg.text('Field with the list of states', { default: 'states' }),
    environment_field: arg.text('Field with the environment', { default: 'environment' }),
  },
  run: async (ctx, { collection, states_field, environment_field, ...lookup }) => {
    const document = await documentOf(ctx, { ...lookup, collection, minionId: ctx.minionId })
    const states = document?.get(states_field)
    if (!document || states === undefined || !isList(states)) return new Map()
    return new Map([[document.get(environment_field) ?? 'base', [...states]]])
  },
})
