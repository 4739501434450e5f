// The files that the master serves, one environment at a time: folders, the text of a file, and how a minion sees it.
import './files/files.css'
import type { Answer } from '../api/client.ts'
import { type Data, read, readAll } from '../api/client.ts'
import { bytes, count } from '../format.ts'
import { useResource } from '../live/resource.ts'
import { href, navigate, pageLink, param, setParams } from '../route.ts'
import { CopyMenu, Empty, Notice, ProblemNotice, Search, Select, Tabs, View } from '../ui/basic.tsx'
import { Icon } from '../ui/icons.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { crumbs, folderOf, isFolder } from './files/paths.ts'
import { Rendered } from './files/rendered.tsx'
import { Source } from './files/source.tsx'

type FileItem = Data<'/v1/files'>['items'][number]

const PAGE = 1000

async function loadFolder(saltenv: string, path: string, signal: AbortSignal): Promise<Answer<FileItem[]>> {
  const found: FileItem[] = []
  let number = 0
  await readAll<FileItem>(
    (cursor) =>
      read('/v1/files', {
        query: { saltenv, limit: PAGE, ...(path !== '' && { path }), ...(cursor !== undefined && { cursor }) },
        signal,
      }),
    (items, seen) => {
      found.push(...items)
      number = seen
    },
  )
  // folders first, as file managers do
  return { data: found.toSorted((a, b) => Number(a.kind === 'file') - Number(b.kind === 'file')), number }
}

const link = (saltenv: string, path: string): string =>
  href('files', { saltenv: saltenv === 'base' ? null : saltenv, path })

/** The address of an item: folders end with a slash. */
const placeOf = ({ path, kind }: FileItem): string => (kind === 'folder' ? `${path}/` : path)

const columnsOf = (saltenv: string): Column<FileItem>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(0, 1fr)',
    cell: (item) => (
      <a href={link(saltenv, placeOf(item))} tabIndex={-1} title={item.name}>
        <Icon name={item.kind === 'folder' ? 'folder' : 'files'} />
        {item.name}
        {item.kind === 'folder' && '/'}
      </a>
    ),
  },
  {
    key: 'size',
    title: 'Size',
    width: '80px',
    isRight: true,
    cell: ({ size }) => <span class="muted">{size === null ? '' : bytes(size)}</span>,
  },
]

function Folder({ saltenv, path }: { saltenv: string; path: string }) {
  const folder = folderOf(path)
  const { data, problem, isLoading, reload } = useResource(
    (signal) => loadFolder(saltenv, folder, signal),
    [saltenv, folder],
  )
  const q = param('q').toLowerCase()
  const rows = (data ?? []).filter(({ name }) => q === '' || name.toLowerCase().includes(q))
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  return (
    <>
      <Search value={param('q')} label="Filter this folder" onInput={(text) => setParams({ q: text })} />
      {data && (
        <Table
          label={`Files of ${folder === '' ? 'the environment' : folder}`}
          rows={rows}
          columns={columnsOf(saltenv)}
          rowKey={(item) => placeOf(item)}
          active={path}
          fill
          onOpen={(item) => navigate(link(saltenv, placeOf(item)))}
          empty={
            <Empty title={q === '' ? 'The folder is empty' : 'No name fits the filter'}>
              {q === '' && folder === '' && <p>Put files into a folder that the option file_roots names.</p>}
            </Empty>
          }
        />
      )}
      {isLoading && !data && <span class="loading" role="progressbar" aria-label="Loading" />}
    </>
  )
}

type Content = Data<'/v1/files/content'>

function FileText({ file }: { file: Content }) {
  const { text, size, truncated, path } = file
  if (text === null)
    return (
      <Empty title="This file is no text">
        <p>
          It has {bytes(size)}. Minions get it by <code>salt://{path}</code>.
        </p>
      </Empty>
    )
  return (
    <>
      {truncated && (
        <Notice tone="changed">
          Only the beginning is shown: the file has {count(size)} bytes ({bytes(size)}).
        </Notice>
      )}
      {text === '' ? (
        <Empty title="The file is empty" />
      ) : (
        <Source text={text} marked={Number(param('line', '0')) || 0} label={path} />
      )}
    </>
  )
}

function File({ saltenv, path }: { saltenv: string; path: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/files/content', { query: { saltenv, path }, signal }),
    [saltenv, path],
  )
  const tab = param('tab', 'source')
  const file = data?.path === path ? data : undefined
  return (
    <div class="files-file stack" aria-busy={isLoading && !file}>
      <div class="row">
        <div class="grow">
          <Tabs
            tabs={[
              ['source', 'Source'],
              ['rendered', 'Rendered for a minion'],
            ]}
            active={tab}
            href={(id) =>
              href('files', {
                saltenv: saltenv === 'base' ? null : saltenv,
                path,
                tab: id === 'source' ? null : id,
                minion: param('minion'),
                as: param('as'),
              })
            }
          />
        </div>
        <CopyMenu
          items={[
            ['salt:// path', () => `salt://${path}${saltenv === 'base' ? '' : `?saltenv=${saltenv}`}`],
            ['Text', () => file?.text ?? ''],
            ['Link', pageLink],
          ]}
        />
      </div>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {file && (
        <p class="muted small wrap">
          {bytes(file.size)} from {file.backend}
          {file.fullPath !== null && (
            <>
              : <code>{file.fullPath}</code>
            </>
          )}
        </p>
      )}
      {tab === 'rendered' ? (
        <Rendered key={`${saltenv} ${path}`} path={path} saltenv={saltenv} />
      ) : (
        file && <FileText file={file} />
      )}
    </div>
  )
}

const Crumbs = ({ saltenv, path }: { saltenv: string; path: string }) => (
  <nav class="files-crumbs" aria-label="Folders above">
    <a href={link(saltenv, '')}>salt://</a>
    {crumbs(path).map((crumb) => (
      <a key={crumb.path} href={link(saltenv, crumb.path)}>
        {crumb.name}/
      </a>
    ))}
    {!isFolder(path) && <span>{path.slice(path.lastIndexOf('/') + 1)}</span>}
  </nav>
)

export default function Files() {
  const saltenv = param('saltenv', 'base')
  const path = param('path').replace(/^(salt:\/\/|\/)/, '')
  const { data, problem } = useResource((signal) => read('/v1/environments', { signal }), [])
  const names = [...new Set([...(data?.items.map(({ name }) => name) ?? []), saltenv])]
  return (
    <View
      title="Files"
      full
      actions={
        <div class="toolbar">
          <Select
            label="Environment"
            value={saltenv}
            options={names.map((name) => [name, `Environment ${name}`] as const)}
            onChange={(name) => navigate(link(name, ''))}
          />
        </div>
      }
    >
      {problem ? (
        <ProblemNotice problem={problem} />
      ) : (
        <>
          <Crumbs saltenv={saltenv} path={path} />
          <div class="files" data-file={!isFolder(path)}>
            <div class="files-list stack">
              <Folder saltenv={saltenv} path={path} />
            </div>
            {isFolder(path) ? (
              <div class="files-file">
                <Empty title="Choose a file">
                  <p>
                    These are the files that minions get from this master by <code>salt://</code>.
                  </p>
                </Empty>
              </div>
            ) : (
              <File saltenv={saltenv} path={path} />
            )}
          </div>
        </>
      )}
    </View>
  )
}
