/** The file of a report: it is there whole, or as it was before. */
import { requireOutputFile } from '../files/output-file.ts'
import { replaceFile, type FileOptions } from '../files/replace-file.ts'

/** Makes sure that a file can be written there, before anything is read for it. @throws UsageError */
export async function requireReportPath(path: string): Promise<void> {
  await requireOutputFile(path, {
    of: 'report',
    example: 'report.html',
    remedy: 'name a file, or - for stdout',
  })
}

/** @throws OutputError; the reason of the signal, and the former file is as it was */
export async function writeReportFile(
  path: string,
  page: string,
  options: Pick<FileOptions, 'isPersonal' | 'signal'>,
): Promise<void> {
  await replaceFile(path, { of: 'report', ...options }, (sink) => sink.write(Buffer.from(page)))
}
