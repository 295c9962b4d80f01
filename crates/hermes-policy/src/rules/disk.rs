//! Disks: writes to raw devices, new file systems, wipes, partitions, mounts.

use super::{On, Rule, named};
use crate::Class::{Ask, Floor};
use crate::shell::{Place, Simple};

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "mkfs",
        description: "makes a new file system over what was there",
        class: Floor,
        on: named(&["mkfs", "mke2fs", "mkdosfs", "mkntfs", "newfs", "mkswap"], |command, _| {
            command.operands().next().is_some() && !command.has(&["--help", "--version", "-V"])
        }),
        hits: &["mkfs.ext4 /dev/sdb1", "mkfs -t xfs /dev/vda", "mke2fs disk.img", "mkswap /dev/sda2"],
        misses: &["man mkfs.ext4", "mkfs.ext4 --help", "grep mkfs notes"],
    },
    Rule {
        key: "write-raw-disk",
        description: "writes to a disk past its file system",
        class: Floor,
        on: On::Any(writes_to_device),
        hits: &[
            "dd if=/dev/zero of=/dev/sda",
            "cat x.img > /dev/nvme0n1",
            "cp image.iso /dev/sdb",
            "echo x | tee /dev/mapper/root",
            "dd of=/dev/disk/by-id/ata-x if=y",
        ],
        misses: &["ls > /dev/null", "dd if=/dev/zero of=disk.img count=1", "echo x > /dev/stderr", "lsblk /dev/sda"],
    },
    Rule {
        key: "wipe-disk",
        description: "wipes a disk or the record of what is on it",
        class: Floor,
        on: named(
            &[
                "wipefs",
                "sgdisk",
                "blkdiscard",
                "shred",
                "wipe",
                "hdparm",
                "nvme",
                "cryptsetup",
                "mdadm",
                "diskutil",
                "badblocks",
            ],
            wipes,
        ),
        hits: &[
            "wipefs -a /dev/sda",
            "sgdisk --zap-all /dev/sda",
            "blkdiscard /dev/nvme0n1",
            "shred -n 3 /dev/sdb",
            "cryptsetup luksFormat /dev/sdb",
            "diskutil eraseDisk APFS x disk2",
        ],
        misses: &["wipefs /dev/sda", "sgdisk -p /dev/sda", "shred -u file.txt", "diskutil list"],
    },
    Rule {
        key: "dd",
        description: "copies raw data with dd",
        class: Ask,
        on: named(&["dd", "dcfldd", "ddrescue"], |command, _| command.texts().any(|text| text.starts_with("if="))),
        hits: &["dd if=/dev/zero of=test.img bs=1M count=10", "dd if=a of=b"],
        misses: &["dd --help", "echo dd if=x"],
    },
    Rule {
        key: "partition-disk",
        description: "changes the partitions or volumes of a disk",
        class: Ask,
        on: named(
            &[
                "fdisk",
                "sfdisk",
                "cfdisk",
                "gdisk",
                "sgdisk",
                "parted",
                "lvremove",
                "vgremove",
                "pvremove",
                "zpool",
                "zfs",
                "btrfs",
                "resize2fs",
                "e2fsck",
            ],
            |command, _| changes_partitions(command),
        ),
        hits: &["fdisk /dev/sda", "parted -s /dev/sdb mklabel gpt", "lvremove -f vg/data", "zpool destroy tank"],
        misses: &["fdisk -l", "parted -l", "zfs list", "sfdisk --dump /dev/sda"],
    },
    Rule {
        key: "mount-device",
        description: "mounts or unmounts a device or a folder of the host",
        class: Ask,
        on: named(&["mount", "umount", "losetup", "swapoff"], |command, _| {
            let device = command.texts().any(|text| text.starts_with("/dev/"));
            device
                || command.has(&["--bind", "--rbind", "--move", "-a", "-l", "-f"])
                || command.texts().any(|text| text.contains("remount"))
        }),
        hits: &["mount /dev/sda1 /mnt", "mount --bind / /mnt/root", "umount -l /data", "mount -o remount,rw /"],
        misses: &["mount", "mount | grep tmpfs"],
    },
];

/// Names of block devices, wherever they are listed.
pub(super) fn is_device(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    const STARTS: &[&str] = &[
        "sd", "nvme", "hd", "mmcblk", "vd", "xvd", "md", "dm-", "mapper/", "loop", "nbd", "disk", "rdisk", "zram",
        "mem", "kmem", "port",
    ];
    let start = STARTS.iter().any(|start| name.starts_with(start));
    start && !name.starts_with("disk/by-id/usb-hid")
}

fn writes_to_device(command: &Simple, place: &Place) -> bool {
    let device = |text: &str| is_device(&place.resolve_text(text, command));
    if command.redirects.iter().any(|redirect| redirect.writes && device(&redirect.target.text)) {
        return true;
    }
    match command.name.as_str() {
        "dd" | "dcfldd" => command.texts().any(|text| text.strip_prefix("of=").is_some_and(device)),
        "tee" => command.operands().any(|field| device(&field.text)),
        "cp" | "mv" | "install" | "rsync" | "ddrescue" | "pv" => {
            command.operands().last().is_some_and(|field| device(&field.text))
        }
        _ => false,
    }
}

fn wipes(command: &Simple, place: &Place) -> bool {
    let on_device = command.operands().any(|field| is_device(&place.resolve(field, command)));
    match command.name.as_str() {
        "wipefs" => command.has_letter('a') || command.has_long("--all", 4),
        "sgdisk" => {
            command.has_letter('Z')
                || command.has_letter('o')
                || command.has_letter('z')
                || command.has_long("--zap-all", 5)
                || command.has_long("--clear", 5)
                || command.has_long("--zap", 5)
        }
        "blkdiscard" => command.operands().next().is_some(),
        "shred" | "wipe" => on_device,
        "hdparm" => {
            command.texts().any(|text| text.starts_with("--security-erase") || text.starts_with("--trim-sector"))
        }
        "nvme" => matches!(command.operand(0), Some("format" | "sanitize" | "write-zeroes")),
        "cryptsetup" => matches!(command.operand(0), Some("luksFormat" | "erase" | "luksErase" | "reencrypt")),
        "mdadm" => command.has_long("--zero-superblock", 6),
        "diskutil" => {
            command.operand(0).is_some_and(|verb| {
                let verb = verb.to_ascii_lowercase();
                verb.starts_with("erase")
                    || verb.starts_with("partition")
                    || verb.starts_with("zero")
                    || verb.starts_with("secureerase")
            }) || (command.has(&["apfs"]) && command.texts().any(|text| text.starts_with("delete")))
        }
        "badblocks" => command.has_letter('w'),
        _ => false,
    }
}

fn changes_partitions(command: &Simple) -> bool {
    let shows =
        command.has_letter('l') || command.has(&["--list", "--dump", "-d", "--help", "--version", "-V", "print"]);
    match command.name.as_str() {
        "zpool" | "zfs" => {
            matches!(command.operand(0), Some("destroy" | "rollback" | "labelclear" | "create" | "remove" | "offline"))
        }
        "btrfs" => command.has(&["delete"]),
        "sgdisk" => !shows && !command.has_letter('p') && !command.has_long("--print", 5),
        _ => !shows && command.operands().next().is_some(),
    }
}
