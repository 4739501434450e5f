// Publishes jobs in reaction to events.
import { type Dict, isDict, isList, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { masterOf } from './reach.ts'

export default defineState({
  name: 'local',
  doc: 'Run functions on minions.',
  functions: {
    cmd: state({
      doc: 'Publish a job without waiting for it. The changes have its job id.',
      args: {
        name: arg.string('Any text'),
        tgt: arg.textOrList('Target: text, or a list of minion ids'),
        func: arg.text('Function'),
        arg: arg.any('Arguments of the function: a list, or one value', { default: [] }),
        tgt_type: arg.string('Kind of the target', { default: 'glob' }),
        ret: arg.string('Returners, with commas between them', { default: '' }),
        kwarg: arg.any('Dict of keyword arguments of the function; other types are ignored', { optional: true }),
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
