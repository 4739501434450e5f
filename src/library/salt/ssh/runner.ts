// Functions on machines without minions, for runners, reactions and the API.
import { type Dict, isList, numberOf, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

const listOf = (value: Value): readonly Value[] => (value === null ? [] : isList(value) ? value : [value])

export default defineRunner({
  name: 'ssh',
  doc: 'Run functions on targets of salt-ssh.',
  functions: {
    cmd: masterFn({
      doc: 'Run a function on targets of the roster and return their whole answers.',
      args: {
        tgt: arg.textOrList('Target: text, or a list of ids'),
        fun: arg.text('Function'),
        arg: arg.any('Arguments: a list, or one value', { optional: true }),
        timeout: arg.number('Seconds that the connection may take, besides `ssh_timeout`', { optional: true }),
        tgt_type: arg.text('Kind of the target', { default: 'glob' }),
        kwarg: arg.dict('Keyword arguments', { optional: true }),
      },
      examples: ["salt-run ssh.cmd '*' test.ping", "salt-run ssh.cmd web1 state.apply '[nginx]'"],
      run: async (ctx, { tgt, fun, arg, timeout, tgt_type, kwarg }) => {
        const seconds = numberOf(timeout)
        const more = { ...(kwarg && { kwarg }), ...(seconds && { timeout: seconds }) }
        const call = { tgt, fun, tgtType: tgt_type, arg: listOf(arg), ...more }
        const answers: Dict = new Map()
        for await (const { id, answer } of ctx.ssh(call)) answers.set(id, answer)
        return answers
      },
    }),
  },
})
