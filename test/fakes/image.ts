/** The picture of the tests, and what an endpoint finds wrong with one that it is sent. */

/** 8 x 8 pixels of red, PNG, base64. */
export const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';

/** A data URI with a real picture; `any` takes addresses as well. */
export function imageProblem(url: string, form: 'any' | 'data'): string | undefined {
  if (/^https?:/.test(url)) return form === 'any' ? undefined : 'image_url: addresses are not taken, only data';
  const [, type, data] = /^data:image\/(\w+);base64,(.+)$/s.exec(url) ?? [];
  return type && data ? pictureProblem(data) : 'image_url: neither address nor data';
}

export function pictureProblem(data: string): string | undefined {
  const bytes = Buffer.from(data, 'base64');
  const isPicture =
    bytes.subarray(1, 4).toString() === 'PNG' || bytes.readUInt16BE(0) === 0xffd8 || bytes.subarray(8, 12).toString() === 'WEBP';
  return isPicture ? undefined : 'Could not process image';
}
