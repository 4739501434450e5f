import { expect, test } from 'vitest'
import { dumpJson, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import xfs from './module.ts'

const INFO = `meta-data=/dev/sda1              isize=512    agcount=4, agsize=65536 blks
         =                       sectsz=512   attr=2, projid32bit=1
         =                       crc=1        finobt=1, sparse=1, rmapbt=0
         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=0
data     =                       bsize=4096   blocks=262144, imaxpct=25
         =                       sunit=0      swidth=0 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
log      =internal log           bsize=4096   blocks=16384, version=2
         =                       sectsz=512   sunit=0 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
`
const DUMP = `xfsdump: using file dump (drive_simple) strategy
xfsdump: version 3.1.11 (dump format 3.0)
xfsdump: level 0 dump of host:/mnt
xfsdump: dump date: Sun Nov 15 19:00:00 2026
xfsdump: session id: b74a3586-e52e-4a4a-8775-c3334fa8ea2c
xfsdump: session label: "My label"
xfsdump: ino map phase 1: constructing initial dump list
xfsdump: media file size 22232 bytes
xfsdump: dump size (non-dir files) : 0 bytes
xfsdump: dump complete: 0 seconds elapsed
xfsdump: Dump Summary:
xfsdump:   stream 0 /tmp/d OK (success)
xfsdump: Dump Status: SUCCESS
`
const INVENTORY = `file system 0:
	fs id:		b7f1a2f1-9a77-4f3e-a1b4-b64f2b1a5d11
	session 0:
		mount point:	host:/mnt
		device:		host:/dev/sda1
		time:		Sun Nov 15 19:00:00 2026
		session label:	"My label"
		session id:	b74a3586-e52e-4a4a-8775-c3334fa8ea2c
		level:		0
		resumed:	NO
		subtree:	NO
		streams:	1
		stream 0:
			pathname:	/tmp/d
			start:		ino 131 offset 0
			end:		ino 132 offset 0
			interrupted:	NO
			media files:	1
			media file 0:
				mfile index:	0
				mfile type:	data
				mfile size:	22232
	session 1:
		mount point:	host:/mnt
		device:		host:/dev/sda1
xfsrestore: Restore Status: SUCCESS
`
const PRUNED = `
-------------------------------------------------
Session   0: host:/mnt
Session Label:  "My label"
UUID  :  b74a3586-e52e-4a4a-8775-c3334fa8ea2c
Host Device: host:/dev/sda1
-------------------------------------------------
`
const ESTIMATE = `directory                               bsize   blocks    megabytes    logsize
/tmp/x                                    4096      160        0.7MB    4096000
`
const BLKID = `DEVNAME=/dev/sda1
UUID=u-1
TYPE=xfs

DEVNAME=/dev/sda2
LABEL=b=c
TYPE=xfs

DEVNAME=/dev/sda3
TYPE=ext4
`

const PROGRAMS = [
  'xfs_info',
  'xfsdump',
  'xfsrestore',
  'xfsinvutil',
  'xfs_estimate',
  'mkfs.xfs',
  'xfs_admin',
  'xfs_fsr',
  'blkid',
]
const SESSION = 'b74a3586-e52e-4a4a-8775-c3334fa8ea2c'

const ANSWERS: Record<string, string> = {
  xfs_info: INFO,
  'mkfs.xfs': INFO,
  xfsdump: DUMP,
  xfsrestore: INVENTORY,
  xfsinvutil: PRUNED,
  xfs_estimate: ESTIMATE,
  blkid: BLKID,
  xfs_fsr: 'done',
}

async function call(name: string, args: Value[] = [], kwargs: Record<string, Value> = {}, answers = ANSWERS) {
  const lines: string[] = []
  const host = await MemoryHost.with({
    files: {
      ...Object.fromEntries(PROGRAMS.map((program) => [`/usr/sbin/${program}`, { mode: 0o755 }])),
      '/proc/mounts': '/dev/sda1 /mnt xfs rw 0 0\n/dev/sda3 /home ext4 rw 0 0\n',
      '/data/': '',
    },
  })
  const others = {
    'cmd.run_all': ([argv]: readonly Value[]) => {
      const words = (argv as Value[]).map(String)
      lines.push(words.join(' '))
      const stdout = answers[words[0]!]
      return new Map<Value, Value>([['stdout', stdout ?? '']])
        .set('stderr', stdout === undefined ? 'xfs_info: no' : '')
        .set('retcode', stdout === undefined ? 1 : 0)
    },
  }
  return { answer: dumpJson(await tryFunction(xfs, name, { args, kwargs, host, others })), lines }
}

test.each<[string, Value[], string]>([
  [
    'info',
    ['/dev/sda1'],
    '{"meta-data": {"section": "/dev/sda1", "isize": "512", "agcount": "4", "agsize": "65536 blks", "sectsz": "512", "attr": "2", "projid32bit": "1", "crc": "1", "finobt": "1", "sparse": "1", "rmapbt": "0", "reflink": "1", "bigtime": "1", "inobtcount": "1", "nrext64": "0"}, "data": {"section": "data", "bsize": "4096", "blocks": "262144", "imaxpct": "25", "sunit": "0", "swidth": "0 blks"}, "naming": {"section": "version 2", "bsize": "4096", "ascii-ci": "0", "ftype": "1"}, "log": {"section": "internal log", "bsize": "4096", "blocks": "16384", "version": "2", "sectsz": "512", "sunit": "0 blks", "lazy-count": "1"}, "realtime": {"section": "none", "extsz": "4096", "blocks": "0", "rtextents": "0"}}',
  ],
  [
    'dump',
    ['/dev/sda1', '/tmp/d'],
    '{"Session ID": "b74a3586-e52e-4a4a-8775-c3334fa8ea2c", "Session label": "\\"My label\\"", "Media size": "22232 bytes", "Dump complete": "0 seconds elapsed", "Status": "SUCCESS", "Summary": "stream 0 /tmp/d OK (success)"}',
  ],
  [
    'inventory',
    [],
    '{"file system 0": {"fs id": "b7f1a2f1-9a77-4f3e-a1b4-b64f2b1a5d11", "session 0": {"mount point": "host:/mnt", "device": "host:/dev/sda1", "time": "Sun Nov 15 19:00:00 2026", "session label": "\\"My label\\"", "session id": "b74a3586-e52e-4a4a-8775-c3334fa8ea2c", "level": "0", "resumed": "NO", "subtree": "NO", "streams": "1", "stream 0": {"pathname": "/tmp/d", "start": "ino 131 offset 0", "end": "ino 132 offset 0", "interrupted": "NO", "media files": "1", "media file 0": {"mfile index": "0", "mfile type": "data", "mfile size": "22232"}}}, "session 1": {"mount point": "host:/mnt", "device": "host:/dev/sda1"}}, "restore_status": "xfsrestore: Restore Status: SUCCESS"}',
  ],
  [
    'prune_dump',
    [SESSION],
    '{"session_label": "\\"My label\\"", "uuid": "b74a3586-e52e-4a4a-8775-c3334fa8ea2c", "host_device": "host:/dev/sda1"}',
  ],
  [
    'estimate',
    ['/data'],
    '{"/tmp/x": {"block _size": "4096", "blocks": "160", "megabytes": "0.7MB", "logsize": "4096000"}}',
  ],
  [
    'devices',
    [],
    '{"/dev/sda1": {"uuid": "u-1", "label": null, "mount_point": "/mnt", "options": ["rw"]}, "/dev/sda2": {"label": "b=c"}}',
  ],
  ['defragment', ['/dev/sda1'], '{"log": "done"}'],
])('xfs.%s reads what its program prints', async (name, args, shown) => {
  expect((await call(name, args)).answer).toBe(shown)
})

test('an inventory without dumps says only how it went', async () => {
  const { answer } = await call('inventory', [], {}, { xfsrestore: 'xfsrestore: Restore Status: SUCCESS' })
  expect(answer).toBe('{"restore_status": "xfsrestore: Restore Status: SUCCESS"}')
})

test.each<[string, Value[], Record<string, Value>, string]>([
  ['mkfs', ['/dev/sda1'], {}, 'mkfs.xfs -f /dev/sda1'],
  [
    'mkfs',
    ['/dev/sda1', 'my label'],
    { dso: 'su=32k,sw=6', noforce: true },
    'mkfs.xfs -L my label -d su=32k,sw=6 /dev/sda1',
  ],
  [
    'modify',
    ['/dev/sda1'],
    { label: 'x', lazy_counting: false, uuid: true },
    'xfs_admin -L x -c 0 -U generate /dev/sda1',
  ],
  ['dump', ['/dev/sda1', '/d'], { label: 'x', level: 1, noerase: true }, 'xfsdump -F -L x -l 1 -f /d /dev/sda1'],
])('xfs.%s %j with %j runs %s', async (name, args, kwargs, line) => {
  expect((await call(name, args, kwargs, { ...ANSWERS, xfs_admin: '' })).lines[0]).toBe(line)
})

test.each<[string, Value[], Record<string, Value>, string]>([
  ['info', ['/dev/sdb'], {}, 'no'],
  ['modify', ['/dev/sda1'], {}, 'Nothing specified for modification for "/dev/sda1" device'],
  ['mkfs', ['/dev/sda1'], { dso: 'su=1,x' }, 'Wrong parameters "su=1,x" for option "-d"'],
  ['defragment', ['/'], {}, 'Root is not a device.'],
  ['defragment', ['/dev/sda3'], {}, 'Device "/dev/sda3" is not mounted'],
  ['estimate', ['/none'], {}, 'Path "/none" was not found.'],
  ['prune_dump', ['other'], {}, 'Session UUID "other" was not found.'],
])('xfs.%s %j with %j is refused', async (name, args, kwargs, message) => {
  const answers = name === 'info' ? {} : ANSWERS
  await expect(call(name, args, kwargs, answers)).rejects.toThrow(message)
})
