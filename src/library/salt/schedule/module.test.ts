import { describe, expect, test } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type MinionRequest, toValue, tryFunction } from '../../../sdk/mod.ts'
import beacons from '../beacons/module.ts'
import { tellsTime } from './module/when.ts'
import schedule from './module.ts'

/** A minion that has one job, and says yes to everything. */
function minion(requests: MinionRequest[]) {
  return async (request: MinionRequest): Promise<Dict> => {
    requests.push(request)
    const jobs = request.data.get('schedule') ?? toValue({ j: { function: 'test.ping', enabled: true, _next: 5 } })
    return toValue({ complete: true, schedule: jobs, beacons: { ps: [{ enabled: true }] }, valid: true }) as Dict
  }
}

async function call(fun: string, args: Value[], kwargs: Record<string, Value> = {}) {
  const requests: MinionRequest[] = []
  const context = { askMinion: minion(requests) }
  const answer = (await tryFunction(schedule, fun, { args, kwargs, context })) as Dict
  return { answer: Object.fromEntries(answer), last: requests.at(-1) }
}

describe('the schedule of a running minion', () => {
  test("is listed without the scheduler's own notes", async () => {
    const { answer } = await call('list', [], { return_yaml: false })
    expect(Object.fromEntries(answer['j'] as Dict)).toEqual({ function: 'test.ping', enabled: true })
  })

  test('hints at what it ignores in a new job', async () => {
    const hints: string[] = []
    const context = { askMinion: minion([]), hint: ({ text }: { text: string }) => hints.push(text) }
    await tryFunction(schedule, 'add', { args: ['new'], kwargs: { function: 'test.ping', secnds: 5 }, context })
    expect(hints).toEqual([
      "The argument 'secnds' is ignored. Did you mean 'seconds'?",
      "The job 'new' never runs: it has none of seconds, minutes, hours, days, when, cron, once, run_on_start.",
    ])
  })

  test('takes a job, and is queried by its own event', async () => {
    const { answer, last } = await call('add', ['new'], { function: 'test.ping', seconds: 5 })
    expect(answer).toEqual({
      comment: 'Added job: new to schedule.',
      result: true,
      changes: new Map([['new', 'added']]),
    })
    expect([last?.tag, last?.answer]).toEqual(['manage_schedule', '/salt/minion/minion_schedule_add_complete'])
    expect(last?.data.get('persist')).toBe(true)
  })

  test.each<[string, Value[], string, boolean]>([
    ['enable_job', ['j'], 'Enabled Job j in schedule.', true],
    ['disable_job', ['j'], 'Failed to disable job j in schedule.', false],
    ['delete', ['none'], 'Job none does not exist.', false],
    ['skip_job', ['j', '2020-01-01T00:00:00'], 'Added Skip Job j in schedule.', true],
    ['postpone_job', ['j', 'soon', 'later'], 'Date string could not be parsed.', false],
  ])('schedule.%s %j', async (fun, args, comment, result) => {
    expect((await call(fun, args)).answer).toMatchObject({ comment, result })
  })
})

test('the file of the schedule is changed when no minion is running', async () => {
  const host = new MemoryHost()
  const opts = new Map([['conf_file', '/etc/salt/minion']])
  const kwargs = { function: 'cmd.run', job_args: ['date'], hours: 2, offline: true }
  await tryFunction(schedule, 'add', { args: ['j'], kwargs, host, opts })
  expect(Buffer.from(await host.read('/etc/salt/minion.d/_schedule.conf')).toString()).toBe(
    'schedule:\n  j:\n    function: cmd.run\n    hours: 2\n    args: [date]\n    maxrunning: 1\n    name: j\n    enabled: true\n    jid_include: true\n',
  )
})

test('times of jobs are dates, weekdays and times of day', () => {
  const good = [
    '5:00pm',
    'Monday 5:00pm',
    '2020-01-01T00:00:00',
    'tuesday 3am',
    'Jan 5 2020 10:00 UTC',
    'noon at 5',
  ].map(tellsTime)
  expect(good).toEqual([true, true, true, true, true, false])
  expect(['nonsense', '', '25:00', 'bogus time', '- ,'].map(tellsTime)).toEqual([false, false, false, false, false])
})

test.each<[string, Value[], string, boolean]>([
  ['enable_beacon', ['ps'], 'Enabled beacon ps on minion.', true],
  ['disable_beacon', ['ps'], 'Failed to disable beacon on minion.', false],
  ['enable_beacon', ['load'], 'Beacon load is not currently configured.', false],
  ['add', ['ps', []], 'Beacon ps is already configured.', true],
  ['modify', ['ps', [new Map([['enabled', true]])]], 'Job ps in correct state', true],
  ['delete', ['load'], 'Deleted beacon: load.', true],
])('beacons.%s %j of a running minion', async (fun, args, comment, result) => {
  const answer = await tryFunction(beacons, fun, { args, context: { askMinion: minion([]) } })
  expect(Object.fromEntries(answer as Dict)).toEqual({ comment, result })
})
