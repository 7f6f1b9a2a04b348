// The witness ships no types; this is what the tests use of it.
declare module "parquetjs-lite" {
  export class ParquetReader {
    static openFile(path: string): Promise<ParquetReader>
    getCursor(): { next(): Promise<Record<string, unknown> | null> }
    close(): Promise<void>
  }
}
