import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { type Recorded, scripted, type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import flatpak from './module.ts'
import states from './state.ts'

// output of Flatpak 1.14, with the note about the search path on stderr
const NOTE = 'Note that the directories /var/lib/flatpak/exports/share are not in the search path'
const REMOTES = {
  stdout: 'flathub\tFlathub\thttps://dl.flathub.org/repo/\t-\t-\t1\tsystem\t-\t-\thttps://flathub.org\t-\n',
  stderr: NOTE,
}
const RECORDED: Record<string, Recorded> = {
  'flatpak remotes*': REMOTES,
  'flatpak *': { stdout: 'done\n', stderr: NOTE },
}

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}, recorded = RECORDED) {
  const { others, ran } = scripted(recorded)
  return { answer: toPlain(await tryFunction(flatpak, fun, { args, kwargs, others })), ran }
}

describe('flatpak', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['uninstall', ['org.gimp.GIMP'], {}, 'flatpak uninstall --noninteractive org.gimp.GIMP'],
    ['add_remote', ['hub', 'https://x/y.flatpakrepo'], {}, 'flatpak remote-add hub https://x/y.flatpakrepo'],
    ['modify_remote', ['hub'], { title: 'A hub' }, 'flatpak remote-modify hub --title=A hub'],
    ['delete_remote', ['hub'], {}, 'flatpak remote-delete --force hub'],
  ])('%s %j runs %s', async (fun, args, kwargs, line) => {
    const { answer, ran } = await call(fun, args, kwargs)
    expect([answer, ran]).toEqual([{ result: true, stdout: 'done' }, [line]])
  })

  test('a failure is one, with or without words on the error stream', async () => {
    const silent = { 'flatpak *': { retcode: 1, stdout: 'refused' } }
    expect((await call('uninstall', ['x'], {}, silent)).answer).toEqual({ result: false, stderr: 'refused' })
    await expect(call('remotes_info', [], {}, silent)).rejects.toThrow('flatpak remotes failed: refused')
  })

  test('remotes are known although Flatpak writes notes', async () => {
    const facts = {
      name: 'flathub',
      title: 'Flathub',
      url: 'https://dl.flathub.org/repo/',
      homepage: 'https://flathub.org',
    }
    expect((await call('remotes_info')).answer).toMatchObject([facts])
    expect((await call('remote_info', ['flathub'])).answer).toMatchObject(facts)
    expect((await call('remote_info', ['none'])).answer).toEqual({})
    expect((await call('is_remote_added', ['flathub'])).answer).toBe(true)
    expect((await call('is_remote_added', ['none'])).answer).toBe(false)
  })

  test.each<[string, Value[]]>([
    ['uninstall', ['--all']],
    ['install', ['x', '--from']],
    ['add_remote', ['--no-gpg-verify', 'x']],
    ['delete_remote', ['-v']],
  ])('%s refuses %j, which would be an option', async (fun, args) => {
    await expect(call(fun, args)).rejects.toThrow('cannot begin with a hyphen')
  })
})

describe('states of flatpak', () => {
  function machine() {
    const [apps, remotes] = [new Set(['org.a.A']), new Set(['flathub'])]
    const done = (set: Set<string>, name: Value, verb: 'add' | 'delete'): Value => {
      if (name === 'broken') return fromPlain({ result: false, stderr: 'error: no such ref' })
      set[verb](name as string)
      return fromPlain({ result: true })
    }
    const others: NonNullable<Trial['others']> = {
      'flatpak.is_installed': ([name]) => apps.has(name as string),
      'flatpak.install': ([name]) => done(apps, name!, 'add'),
      'flatpak.uninstall': ([name]) => done(apps, name!, 'delete'),
      'flatpak.is_remote_added': ([name]) => remotes.has(name as string),
      'flatpak.add_remote': ([name]) => done(remotes, name!, 'add'),
    }
    return async (fun: string, kwargs: Record<string, Value>, test = false): Promise<Plain> =>
      toPlain(await tryState(states, fun, { kwargs, others, test }))
  }

  test('change what differs and report failures', async () => {
    const apply = machine()
    expect(await apply('installed', { name: 'org.b.B' }, true)).toMatchObject({
      result: null,
      changes: { new: 'org.b.B' },
    })
    expect(await apply('installed', { name: 'org.b.B' })).toMatchObject({ result: true, changes: { new: 'org.b.B' } })
    expect(await apply('installed', { name: 'org.b.B' })).toMatchObject({ result: true, changes: {} })
    expect(await apply('installed', { name: 'broken' })).toMatchObject({
      result: false,
      comment: 'Flatpak package "broken" failed to install\noutput:\nerror: no such ref',
    })
    expect(await apply('uninstalled', { name: 'org.a.A' })).toMatchObject({
      result: true,
      comment: 'Flatpak package "org.a.A" uninstalled',
    })
    expect(await apply('uninstalled', { name: 'org.a.A' })).toMatchObject({
      comment: 'Flatpak package "org.a.A" is not installed',
    })
    expect(await apply('add_remote', { name: 'flathub', location: 'x' })).toMatchObject({ result: true, changes: {} })
    expect(await apply('add_remote', { name: 'hub', location: 'x' })).toMatchObject({
      result: true,
      changes: { new: 'hub' },
    })
  })
})
