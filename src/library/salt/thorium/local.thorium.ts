// Jobs of minions as what is done about events.
import { type Dict, isDict, isList, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { masterOf } from './reach.ts'

export default defineState({
  name: 'local',
  doc: 'Has minions run functions.',
  functions: {
    cmd: state({
      doc: 'Publishes a job and does not wait for it; its number is among the changes.',
      args: {
        name: arg.string('Any name'),
        tgt: arg.any('Which minions'),
        func: arg.any('The function'),
        arg: arg.any('Its arguments', { default: [] }),
        tgt_type: arg.string('How the minions are meant', { default: 'glob' }),
        ret: arg.string('Returners that get the returns', { default: '' }),
        kwarg: arg.any('Keywords of the function', { optional: true }),
        kwargs: arg.open('Further options of the job'),
      },
      run: async (ctx, { name, tgt, func, arg: given, tgt_type, ret, kwarg, kwargs }) => {
        const options: Dict = new Map<Value, Value>(kwargs)
        const published = await masterOf(ctx).publish({
          tgt,
          tgtType: tgt_type,
          fun: func,
          arg: isList(given) ? [...given] : [given],
          ret,
          ...(isDict(kwarg) && { kwarg }),
          ...(options.size > 0 && { options }),
        })
        return reportOn(name)(true, '', new Map<Value, Value>([['jid', published?.jid ?? 0]]))
      },
    }),
  },
})
