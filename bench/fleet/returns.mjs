// Answers of simulated minions beyond those of the swarm: grains, and a highstate that differs between minions. Takes the place of the
// swarm's lib/returns.mjs.
import { grainsOf, numberOf } from './facts.mjs'
import { Float } from './msgpack.mjs'
import { fakeReturn as plainReturn } from './plain-returns.mjs'

export * from './plain-returns.mjs'

const DIFF = '--- \n+++ \n@@ -1,2 +1,2 @@\n a line\n-workers: 2\n+workers: 4\n'

/** Most minions are like each other, one of ten changed something, and one of a hundred failed. */
function highstateOf(id, states) {
  const number = numberOf(id)
  const isFailing = number % 97 === 0
  const results = {}
  for (let at = 0; at < states; at++) {
    const name = `/etc/service-${at}.conf`
    const isFailed = isFailing && at === Math.floor(states / 2)
    const isChanged = number % 10 === 0 && at % 25 === number % 25
    results[`file_|-configuration of service ${at}_|-${name}_|-managed`] = {
      name,
      __id__: `configuration of service ${at}`,
      __sls__: `services.part${Math.floor(at / 10)}`,
      __run_num__: at,
      result: !isFailed,
      comment: isFailed ? 'The disk is too small' : `File ${name} is in the correct state`,
      changes: isChanged ? { diff: DIFF } : {},
      duration: new Float(1 + ((number * 7 + at * 13) % 900) / 100),
      start_time: `12:00:${String(at % 60).padStart(2, '0')}.${String(number % 1_000_000).padStart(6, '0')}`,
    }
  }
  const retcode = isFailing ? 2 : 0
  return { return: results, success: !isFailing, retcode, out: 'highstate' }
}

export function fakeReturn(load, id, opt) {
  const answer = plainReturn(load, id, opt)
  if (load.fun === 'grains.items') {
    return { ...answer, return: grainsOf(id), success: true, retcode: 0, out: undefined }
  }
  return load.fun === 'state.highstate' ? { ...answer, ...highstateOf(id, opt.states ?? 20) } : answer
}
