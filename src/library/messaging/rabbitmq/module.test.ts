import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import rabbitmq from './module.ts'

/** Output of version 3.10, by the words of the command. */
const PRINTED: Readonly<Record<string, string>> = {
  'list_users -q': 'user\ttags\nguest\t[administrator]\njoe\t[monitoring, management]\nnobody\t[]',
  'list_vhosts -q': 'name\n/\napp',
  'list_policies -q -p /': 'vhost\tname\tpattern\tapply-to\tdefinition\tpriority\n/\tha\t.*\tall\t{"max-length":5}\t0',
  'list_user_permissions joe --formatter=json': '[{"vhost":"/","configure":".*","write":".*","read":""}]',
  'list_queues -q messages': 'jobs\t5',
  'list_parameters -q': 'federation-upstream\tup\t{"uri":"amqp://x"}',
}

async function ask(name: string, ...args: Value[]): Promise<Value> {
  const host = await MemoryHost.with({ files: { '/usr/bin/rabbitmqctl': { text: '', mode: 0o755 } } })
  const run = ([argv]: readonly Value[]): Value => {
    const stdout = PRINTED[(argv as string[]).slice(1).join(' ')]
    return fromPlain(
      stdout === undefined ? { retcode: 70, stdout: '', stderr: 'Error: no' } : { retcode: 0, stdout, stderr: '' },
    )
  }
  return tryFunction(rabbitmq, name, { host, args, others: { 'cmd.run_all': run } })
}

describe('rabbitmq', () => {
  test.each<[string, Value[], unknown]>([
    ['user_exists', ['joe'], true],
    ['user_exists', ['ann'], false],
    ['vhost_exists', ['app'], true],
    ['list_user_permissions', ['joe'], { '/': { configure: '.*', write: '.*', read: '' } }],
    ['policy_exists', ['/', 'ha'], true],
    ['list_upstreams', [], { up: '{"uri":"amqp://x"}' }],
    ['list_queues', [null, 'messages'], { jobs: ['5'] }],
  ])('%s%j', async (name, args, wanted) => {
    expect(await ask(name, ...args)).toEqual(fromPlain(wanted))
  })

  test('lists users with their tags', async () => {
    expect(await ask('list_users')).toMatchObject(
      new Map<Value, Value>([
        ['user', ['ag']],
        ['guest', ['administrator']],
        ['joe', ['monitoring', 'management']],
        ['nobody', ['']],
      ]),
    )
  })

  test('returns the pattern and definition of policies', async () => {
    const policy = { pattern: '.*', apply_to: 'all', definition: '{"max-length":5}', priority: '0' }
    expect(((await ask('list_policies')) as Dict).get('/')).toEqual(fromPlain({ ha: policy }))
  })

  test.each([
    ['add_user', { Added: 'Adding user "joe" ...' }],
    ['change_password', { 'Password Changed': 'Adding user "joe" ...' }],
    ['check_password', true],
  ])('%s hands a password to the input of the program', async (name, wanted) => {
    const host = await MemoryHost.with({ files: { '/usr/bin/rabbitmqctl': { text: '', mode: 0o755 } } })
    const seen: { line: string; stdin: unknown }[] = []
    const run = ([argv]: readonly Value[], options: unknown): Value => {
      seen.push({ line: (argv as string[]).join(' '), stdin: (options as Record<string, unknown>)['stdin'] })
      return fromPlain({ retcode: 0, stdout: 'Adding user "joe" ...\nPassword: \n', stderr: '' })
    }
    const trial = { host, args: ['joe', 'hush\\n"s'], others: { 'cmd.run_all': run } }
    expect(toPlain(await tryFunction(rabbitmq, name, trial))).toEqual(
      typeof wanted === 'boolean'
        ? wanted
        : Object.fromEntries(Object.entries(wanted).map(([key, text]) => [key, `${text}\n`])),
    )
    expect(seen).toEqual([{ line: expect.not.stringContaining('hush'), stdin: 'hush\\n"s\n' }])
  })

  test("fails with the program's error", async () => {
    await expect(ask('delete_user', 'ann')).rejects.toThrow('RabbitMQ command failed: Error: no')
  })
})
