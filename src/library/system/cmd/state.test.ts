import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, repr, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import cmd from './state.ts'

const grains = new Map([['shell', '/bin/sh']])

const run = (stdout: string, kwargs: Record<string, Plain>, options: { test?: boolean; retcode?: number } = {}) =>
  tryState(cmd, 'run', {
    kwargs: Object.fromEntries(Object.entries({ name: 'x', ...kwargs }).map(([key, value]) => [key, fromPlain(value)])),
    grains,
    test: options.test ?? false,
    others: { 'cmd.run_all': () => fromPlain({ retcode: options.retcode ?? 0, stdout, stderr: '' }) },
  })

describe('cmd.run', () => {
  test("returns the command's answer", async () => {
    expect(toPlain(await run('hi', {}, { retcode: 3 }))).toEqual({
      name: 'x',
      changes: { retcode: 3, stdout: 'hi', stderr: '' },
      result: false,
      comment: 'Command "x" run',
    })
  })

  test('runs nothing in a dry run, unless a command is named for it', async () => {
    expect((await run('', {}, { test: true })).get('comment')).toBe('Command "x" would have been executed')
    const tried = await run('changed=yes', { stateful: [{ test_name: 'y' }] }, { test: true })
    expect(tried.get('result')).toBeNull()
  })

  test.each([
    [
      'note\nchanged=yes comment=done a=b',
      "{'changed': 'yes', 'a': 'b', 'retcode': 0, 'stdout': 'note', 'stderr': ''}",
      'done',
    ],
    ['changed=no comment=fine', '{}', 'fine'],
    ['{"changed": true, "n": 1}', "{'changed': True, 'n': 1, 'retcode': 0, 'stdout': '', 'stderr': ''}", ''],
    [
      'what is this',
      "{'retcode': 0, 'stdout': 'what is this', 'stderr': ''}",
      'Failed parsing script output! Stdout must be JSON or a line of name=value pairs.',
    ],
  ])('parses %j as the output of a stateful command', async (stdout, changes, comment) => {
    const report = await run(stdout, { stateful: true })
    expect(repr(report.get('changes')!)).toBe(changes)
    expect(report.get('comment')).toBe(comment)
  })
})

describe('states that wait for others', () => {
  const apply = async (fun: string, kwargs: Record<string, Plain>) => {
    const ran: Value[] = []
    const note = ([line]: readonly Value[], options: unknown): Value => {
      ran.push(line ?? (options as ReadonlyMap<string, Value>).get('cmd')!)
      return fromPlain({ retcode: 0, stdout: 'done', stderr: '' })
    }
    const given = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
    const others = { 'cmd.run_all': note, 'cmd.script': note }
    return { report: toPlain(await tryState(cmd, fun, { kwargs: given, grains, others })), ran }
  }

  test.each(['wait', 'watch'])('cmd.%s runs nothing by itself', async (fun) => {
    expect(await apply(fun, { name: 'make' })).toEqual({
      report: { name: 'make', changes: {}, result: true, comment: '' },
      ran: [],
    })
  })

  test.each([
    ['wait', 'make', 'Command "make" run'],
    ['run', 'make', 'Command "make" run'],
    ['script', 'salt://a.sh', "Command 'salt://a.sh' run"],
  ])('cmd.mod_watch runs the command of cmd.%s', async (sfun, name, comment) => {
    const { report, ran } = await apply('mod_watch', { name, sfun })
    expect(report).toMatchObject({ result: true, comment })
    expect(ran).toEqual([name])
  })

  test('functions cannot be given in YAML', async () => {
    expect((await apply('wait_call', { name: 'x', func: 'f' })).report).toMatchObject({ result: true, changes: {} })
    await expect(apply('call', { name: 'x', func: 'f' })).rejects.toThrow("'str' object is not callable")
    expect((await apply('mod_watch', { name: 'x', sfun: 'call' })).report).toMatchObject({
      result: false,
      comment: 'cmd.call needs a named parameter func',
    })
  })
})
