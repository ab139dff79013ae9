/** Python wheels, made in memory. */

import { crc32 } from 'node:zlib';

/** `project` as it stands in the file's name: with underscores. */
export function wheelOf(project: string, version: string, files: Record<string, Buffer>): Buffer {
  const info = `${project}-${version}.dist-info`;
  return zip({
    ...files,
    [`${info}/METADATA`]: Buffer.from(`Metadata-Version: 2.1\nName: ${project.replaceAll('_', '-')}\nVersion: ${version}\n`),
    [`${info}/WHEEL`]: Buffer.from('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    [`${info}/RECORD`]: Buffer.from(''),
  });
}

/** A zip archive of stored (uncompressed) files. */
function zip(files: Record<string, Buffer>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, data] of Object.entries(files)) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, Buffer.from(name)]));
    bodies.push(body);
    offset += body.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, central, Buffer.from('PK\x05\x06'), end]);
}
