// Volumes of Cinder: a boot volume from an image, and volumes attached to a machine.
import { type Dict, isDict, str } from '../../../data/mod.ts'
import { awaitReady, type CloudContext, type CloudSteps, type MachineRequest } from '../../../sdk/mod.ts'
import { at, exit } from '../common/rest.ts'
import { idOf, listed, volumeId } from './lookup.ts'
import { CREATION_KEY } from './server.ts'
import type { OpenStackSession } from './session.ts'
import type { machine } from './settings.ts'

/** Seconds until a volume must be ready: images are copied to it. */
const TIMEOUT = 1800

type Request = MachineRequest<typeof machine>

/** Make a volume of an image, and wait until it can be booted from. Nova could make it too, but a failure would leave it without a mark. */
export async function volumeOfImage(
  ctx: CloudContext,
  session: OpenStackSession,
  image: string,
  { name, settings, token }: Request,
  steps: CloudSteps,
): Promise<string> {
  const cinder = await session.service('volume')
  await steps.note(new Map([['has_volume', true]]))
  const made = await cinder.ask('POST', '/volumes', {
    volume: { name, size: settings.volume_size, imageRef: image, metadata: { [CREATION_KEY]: token } },
  })
  const id = idOf(at(made, 'volume'))
  await steps.note(new Map([['volume', id]]))
  await awaitVolume(ctx, session, id, 'available', settings.wait_for_ip_interval)
  return id
}

async function awaitVolume(
  { signal }: CloudContext,
  session: OpenStackSession,
  id: string,
  wanted: string,
  interval: number,
): Promise<void> {
  const cinder = await session.service('volume')
  await awaitReady({ what: `the volume ${id}`, timeout: TIMEOUT, interval, signal }, async () => {
    const volume = (await cinder.find('GET', `/volumes/${encodeURIComponent(id)}`))?.get('volume')
    if (volume === undefined || !isDict(volume)) throw exit(`The volume ${id} is gone`)
    const status = str(volume.get('status') ?? null)
    if (status.startsWith('error')) throw exit(`The volume ${id} could not be made: its status is ${status}`)
    return status === wanted ? true : undefined
  })
}

/** Attach volumes that exist. */
export async function attachVolumes(
  ctx: CloudContext,
  session: OpenStackSession,
  server: string,
  { settings }: Request,
  steps: CloudSteps,
): Promise<void> {
  if (settings.volumes.length === 0) return
  await steps.report('attaching_volumes', new Map([['volumes', settings.volumes]]))
  const nova = await session.service('compute')
  for (const wanted of settings.volumes) {
    const volume = await volumeId(session, wanted)
    await nova.ask('POST', `/servers/${server}/os-volume_attachments`, { volumeAttachment: { volumeId: volume } })
    await awaitVolume(ctx, session, volume, 'in-use', settings.wait_for_ip_interval)
  }
}

/** Remove the volumes of a creation, when they are not in use any more. */
export async function removeVolumes(ctx: CloudContext, session: OpenStackSession, token: string): Promise<void> {
  const cinder = await session.service('volume')
  const path = `/volumes/detail?metadata=${encodeURIComponent(`{'${CREATION_KEY}': '${token}'}`)}`
  const isOurs = (volume: Dict): boolean => at(volume, 'metadata', CREATION_KEY) === token
  for (const volume of (await listed(cinder, path, 'volumes')).filter(isOurs)) {
    const id = idOf(volume)
    const { signal } = ctx
    await awaitReady({ what: `the end of the volume ${id}`, timeout: TIMEOUT, signal }, async () => {
      const now = (await cinder.find('GET', `/volumes/${id}`))?.get('volume')
      if (now === undefined) return true
      const status = str(at(now, 'status'))
      if (/^(available|error|error_deleting)$/.test(status)) await cinder.find('DELETE', `/volumes/${id}`)
      return undefined
    })
  }
}
