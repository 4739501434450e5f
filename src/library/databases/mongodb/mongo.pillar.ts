// `mongo`: the document of a minion.
import { isDict, str, truthy } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { DOCUMENT_ARGS, documentOf } from './document.ts'

export default defineExtPillar({
  name: 'mongo',
  doc: 'The document of the minion in a collection of MongoDB. Options `mongo.host`, `mongo.db` and others name the server; mongosh must be installed.',
  args: {
    collection: arg.text('Collection', { default: 'pillar' }),
    ...DOCUMENT_ARGS,
    fields: arg.words('Fields to take; all by default', { default: [] }),
  },
  run: async (ctx, { collection, fields, ...lookup }) => {
    const document = await documentOf(ctx, { ...lookup, collection, minionId: ctx.minionId })
    if (!document) return new Map()
    const id = document.get('_id') ?? null
    // an id of the server's own is `{$oid: …}` in JSON
    if (truthy(id)) document.set('_id', isDict(id) ? str(id.get('$oid') ?? id) : str(id))
    if (fields.length === 0) return document
    return new Map([...document].filter(([name]) => name === '_id' || fields.includes(str(name))))
  },
})
