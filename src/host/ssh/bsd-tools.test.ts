// A target with BSD tools. No BSD is available, so stat and sha256 are scripts with the options and the output of
// FreeBSD's manuals; tools that a BSD lacks are not found.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from '../../../test/ssh/sshd.ts'
import { silentLog } from '../../base/mod.ts'
import { SshHost } from './ssh-host.ts'

if (noSshd) console.log(`SSH is not tested: ${noSshd}`)

const STAT = `#!/bin/sh
link=
[ "$1" = -L ] && { link=-L; shift; }
[ "$1" = -f ] || { echo "stat: illegal option -- \${1#-}" >&2; exit 1; }
format=$2; shift 2
case $format in
'%Xp %u %g %z %Fa %Fm %Fc %i %d %l %Xr 0') exec /usr/bin/stat $link -c '%f %u %g %s %.9X %.9Y %.9Z %i %d %h 0 0' "$@";;
%u) exec /usr/bin/stat $link -c %u "$@";;
'%Mp%Lp %u') set -- $(/usr/bin/stat $link -c '%a %u' "$1"); printf '%04d %s\\n' "$1" "$2";;
%Mp%Lp) printf '%04d\\n' "$(/usr/bin/stat $link -c %a "$1")";;
'file %l %Mp%Lp %u %g') set -- $(/usr/bin/stat $link -c '%h %a %u %g' "$1"); printf 'file %s %04d %s %s\\n' "$@";;
*) echo "unexpected format: $format" >&2; exit 2;;
esac
`
const SHA256 = `#!/bin/sh
[ "$1" = -q ] || exit 2
shift
for file; do sum=$(/usr/bin/sha256sum < "$file") || exit 1; echo "\${sum%% *}"; done
`
const DATE = '#!/bin/sh\n[ "$1" = +%s.%N ] && { /usr/bin/date +%s.N; exit; }\nexec /usr/bin/date "$@"\n'

/** Missing on a BSD, or with other options there. */
const ABSENT = /^(stat|date|setsid|setpriv|runuser|truncate|shasum|(sha\d+|md5|b2)sum)$/

describe.skipIf(noSshd !== undefined)('a target with the tools of BSD', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'ssh-bsd-'))
  let sshd: TestSshd
  let host: SshHost
  beforeAll(async () => {
    const path = join(scratch, 'bin')
    mkdirSync(path)
    for (const name of readdirSync('/usr/bin').filter((name) => !ABSENT.test(name))) {
      symlinkSync(`/usr/bin/${name}`, join(path, name))
    }
    for (const [name, text] of Object.entries({ stat: STAT, sha256: SHA256, date: DATE })) {
      writeFileSync(join(path, name), text)
      chmodSync(join(path, name), 0o755)
    }
    sshd = await startSshd()
    host = await SshHost.open({ ...sshd.target, path }, { log: silentLog, runtimeDir: sshd.runtimeDir })
  })
  afterAll(async () => {
    await host?.close()
    await sshd?.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  test('reports facts, checksums and the time', async () => {
    const path = join(scratch, 'file')
    writeFileSync(path, 'text', { mode: 0o640 })
    const { uid, size, mode, mtimeMs, ino } = lstatSync(path)
    const told = await host.stat(path)
    expect(told).toMatchObject({ type: 'file', uid, size, mode: mode & 0o7777, inode: ino })
    expect(told!.mtime).toBeCloseTo(mtimeMs / 1000, 2)
    expect(await host.stat(join(scratch, 'absent'))).toBeUndefined()
    expect(await host.hash(path, 'sha256')).toBe('982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1')
    expect(await host.hash(path, 'md5')).toBe('1cb251ec0d568de6a929b520c4aed8d1')
    expect(Math.abs(host.now() - Date.now() / 1000)).toBeLessThan(5)
    expect((await host.run({ argv: ['/bin/sh', '-c', 'exit 3'] })).retcode).toBe(3)
  })

  test('writes small and large files, in directories of others as well', async () => {
    const theirs = join(scratch, 'theirs')
    mkdirSync(theirs)
    if (process.geteuid?.() === 0) execFileSync('chown', ['nobody', theirs])
    for (const content of [Buffer.from('small'), randomBytes(100_000)]) {
      const path = join(theirs, 'file')
      await host.write(path, content, { mode: 0o640 })
      expect(readFileSync(path).equals(content)).toBe(true)
      expect([statSync(path).mode & 0o7777, readdirSync(theirs)]).toEqual([0o640, ['file']])
    }
    await host.truncate(join(theirs, 'file'), 3)
    expect(statSync(join(theirs, 'file')).size).toBe(3)
  })
})
