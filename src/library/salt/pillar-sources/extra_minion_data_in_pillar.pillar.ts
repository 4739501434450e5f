// `extra_minion_data_in_pillar`: the extra data in a minion's request for pillar (`pass_to_ext_pillars`).
import { type Dict, iterate, PyError, subtree, textOf, truthy, typeName } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'

export default defineExtPillar({
  name: 'extra_minion_data_in_pillar',
  doc: 'The options that a minion passes on with its request for pillar (`pass_to_ext_pillars`).',
  args: {
    include: arg.any('Paths of keys (`a:b`) to take over, or `*` for all'),
    extra_minion_data: arg.any('What the minion passed on; it comes with the request', { default: null }),
  },
  run: (_ctx, { include, extra_minion_data: data }) => {
    if (!truthy(data) || !(data instanceof Map)) return new Map()
    if (include === '*' || include === '<all>') return data
    const chosen: Dict = new Map()
    for (const key of iterate(include)) {
      const path = textOf(key)
      if (path === undefined) throw new PyError('AttributeError', `'${typeName(key)}' object has no attribute 'split'`)
      for (const [name, value] of subtree(data, path.split(':'))) chosen.set(name, value)
    }
    return chosen
  },
})
