// Options, grains and pillar as templates get them. Salt wraps them in classes of its own, which error texts name. An SLS
// file that changes its `pillar` changes a copy, which later SLS files see; files that functions render have the
// pillar of functions instead, and what they change in it counts for `pillar.get` too.
import { type Dict, deepCopy, NamedDict, nameClass } from '../data/mod.ts'

const MODULE = 'salt.utils.optsdict'

const pillars = new WeakMap<Dict, NamedDict>()

export function pillarForTemplates(pillar: Dict): Dict {
  if (pillar instanceof NamedDict) return pillar
  let wrapped = pillars.get(pillar)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'DictProxy', deepCopy(pillar))
    pillars.set(pillar, wrapped)
  }
  return wrapped
}

/** After this, templates see the pillar as it is now. */
export function renewPillarForTemplates(pillar: Dict): void {
  pillars.delete(pillar)
}

/** Grains are the same dict for templates and functions; a text about one that is missing names Salt's class. */
export function nameGrains(grains: Dict): void {
  nameClass(grains, `${MODULE}.DictProxy`)
}

/** The pillar of functions itself, for the files they render. */
export function pillarForFiles(pillar: Dict): Dict {
  if (!(pillar instanceof NamedDict)) nameClass(pillar, `${MODULE}.DictProxy`)
  return pillar
}

const ofSls = new WeakMap<Dict, NamedDict>()
const ofFiles = new WeakMap<Dict, NamedDict>()

/** Options are taken as they are when the first template asks for them, once for SLS files and once for other files. */
export function optsForTemplates(opts: Dict, pillar: Dict, forFiles: boolean): Dict {
  if (opts instanceof NamedDict) return opts
  const known = forFiles ? ofFiles : ofSls
  let wrapped = known.get(opts)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'OptsDict')
    for (const [name, value] of opts) {
      wrapped.set(name, value instanceof Map ? new NamedDict(MODULE, 'DictProxy', value) : value)
    }
    if (opts.has('pillar')) wrapped.set('pillar', pillar)
    known.set(opts, wrapped)
  }
  return wrapped
}
