// `cobbler`: Cobbler's data about the system with the minion's id.
import { isDict, str } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { systemData } from './system.ts'

export default defineExtPillar({
  name: 'cobbler',
  doc: 'The data that Cobbler has of the system with the id of the minion. Options `cobbler.url`, `cobbler.user`, `cobbler.password`.',
  args: {
    key: arg.text('Key to put the data under', { optional: true }),
    only: arg.words('Names of the values to take; all by default', { default: [] }),
  },
  run: async (ctx, { key, only }) => {
    const data = await systemData(ctx, ctx.minionId)
    const chosen = only.length === 0 ? data : new Map([...data].filter(([name]) => only.includes(str(name))))
    return key && isDict(chosen) ? new Map([[key, chosen]]) : chosen
  },
})
