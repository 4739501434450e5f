import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { type Recorded, scripted, tryFunction, tryState } from '../../../sdk/mod.ts'
import quota from './module.ts'
import states from './state.ts'

// output of the programs of quota 4.06
const RECORDED: Record<string, Recorded> = {
  'repquota -vp -u /home':
    '*** Report for user quotas on device /dev/sda1\nBlock grace time: 7days; Inode grace time: 6days\n                        Block limits                File limits\nUser            used    soft    hard  grace    used  soft  hard  grace\n----------------------------------------------------------------------\nroot      --      20       1       2      0              3     4     5     6\n\nStatistics:\nTotal blocks: 7\n',
  'repquota -vp -g /home':
    '*** Report for group quotas on device /dev/sda1\nBlock grace time: 7days; Inode grace time: 7days\n---\n',
  quotastats: 'Kernel quota version: 6.6.0\nNumber of dquot lookups: 12\n',
  quotawarn: '',
  'quotaon -p /home': 'group quota on /home (/dev/sda1) is off\nuser quota on /home (/dev/sda1) is on',
  'quotaon -p /none': 'quotaon: Cannot find mountpoint for device /none\nquotaon: No correct mountpoint specified.',
  'quotaon /home': '',
  'quotaoff /home': { retcode: 1, stderr: 'quotaoff: /home: Operation not permitted' },
}

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}, recorded = RECORDED) {
  const { others } = scripted(recorded)
  return toPlain(await tryFunction(quota, fun, { args, kwargs, others }))
}

describe('quota', () => {
  test('report returns the limits of users and groups', async () => {
    const root = {
      'block-used': '20',
      'block-soft-limit': '1',
      'block-hard-limit': '2',
      'block-grace': '0',
      'file-used': '3',
      'file-soft-limit': '4',
      'file-hard-limit': '5',
      'file-grace': '6',
    }
    expect(await call('report', ['/home'])).toEqual({
      '/home': {
        'User Quotas': { 'Block Grace Time': ['7days'], 'Inode Grace Time': ['6days'], Users: { root } },
        'Group Quotas': { 'Block Grace Time': ['7days'], 'Inode Grace Time': ['7days'], Groups: {} },
      },
    })
  })

  test.each<[string, Value[], Plain]>([
    ['stats', [], { 'Kernel quota version': '6.6.0', 'Number of dquot lookups': '12' }],
    ['warn', [], null],
    ['on', ['/home'], true],
    ['get_mode', ['/home'], { '/home': { device: '/dev/sda1', group: 'off', user: 'on' } }],
    ['get_mode', ['/none'], { '/none': 'Not found' }],
  ])('%s %j returns %j', async (fun, args, answer) => expect(await call(fun, args)).toEqual(answer))

  test('on and off fail where the program fails', async () => {
    await expect(call('off', ['/home'])).rejects.toThrow('quotaoff failed: quotaoff: /home: Operation not permitted')
    const refused = { 'quotaon /home': { retcode: 2, stderr: 'quotaon: using /home/aquota.user: No such file' } }
    await expect(call('on', ['/home'], {}, refused)).rejects.toThrow('quotaon failed: quotaon: using')
  })

  test('set passes each value as one argument', async () => {
    const words: Value[] = []
    const others = {
      'cmd.run_all': ([given]: readonly Value[]) => {
        words.push(given!)
        return fromPlain({ retcode: 0, stdout: '', stderr: '' })
      },
    }
    const kwargs = { user: 'joe 1 1 1 1 -a', 'block-soft-limit': 1048576 }
    const answer = toPlain(await tryFunction(quota, 'set', { args: ['/home'], kwargs, others }))
    expect(words).toEqual([['setquota', '-u', 'joe 1 1 1 1 -a', '1048576', '0', '0', '0', '/home']])
    expect(answer).toMatchObject({ 'User: joe 1 1 1 1 -a': { 'block-soft-limit': 1048576, 'file-hard-limit': 0 } })
  })

  test.each<[Record<string, Value>, string]>([
    [{ user: 'joe', group: 'staff' }, 'Please specify a user or group, not both.'],
    [{}, 'A valid user or group was not found'],
    [{ user: '-a' }, "A user cannot begin with a hyphen: '-a'"],
    [{ group: 'staff' }, 'Unable to set desired quota. Error follows: \nsetquota: no such group'],
  ])('set refuses %j', async (kwargs, message) => {
    const recorded = { 'setquota*': { retcode: 1, stderr: 'setquota: no such group' } }
    await expect(call('set', ['/home'], kwargs, recorded)).rejects.toThrow(message)
  })

  test.each<[Value, string, boolean, boolean | null, string]>([
    [true, 'user', false, true, 'Quota for /home already set to on'],
    [false, 'user', true, null, 'Quota for /home needs to be set to off'],
    [false, 'user', false, true, 'Set quota for /home to off'],
    [true, 'group', false, true, 'Set quota for /home to on'],
  ])('the state quota.mode %s of %s quotas, dry: %s', async (mode, quotatype, test, result, comment) => {
    const others = {
      'quota.get_mode': () => fromPlain({ '/home': { device: '/dev/sda1', user: 'on', group: 'off' } }),
      'quota.on': () => true,
      'quota.off': () => true,
    }
    const kwargs = { name: '/home', mode, quotatype }
    expect(toPlain(await tryState(states, 'mode', { kwargs, others, test }))).toMatchObject({ result, comment })
  })
})
