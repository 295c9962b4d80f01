//! Destruction of what runs elsewhere: clusters, buckets, stacks.

use super::{Rule, named};
use crate::Class::Ask;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "cluster-delete",
        description: "deletes or drains parts of a cluster",
        class: Ask,
        on: named(&["kubectl", "oc", "helm", "k3s", "kustomize", "flux", "argocd"], |command, _| {
            command
                .operands()
                .take(3)
                .any(|field| matches!(field.text.as_str(), "delete" | "drain" | "uninstall" | "cordon" | "evict"))
        }),
        hits: &["kubectl delete pod web", "kubectl -n prod drain node1", "helm uninstall app"],
        misses: &["kubectl get pods", "helm list", "kubectl logs delete-me"],
    },
    Rule {
        key: "infrastructure-destroy",
        description: "destroys infrastructure, or changes it without a look at the plan",
        class: Ask,
        on: named(&["terraform", "tofu", "pulumi", "cdk", "serverless", "vagrant"], |command, _| {
            command.operands().take(2).any(|field| matches!(field.text.as_str(), "destroy" | "remove"))
                || command.has(&["-auto-approve", "--auto-approve", "-destroy"])
        }),
        hits: &["terraform destroy", "terraform apply -auto-approve", "pulumi destroy --yes", "vagrant destroy -f"],
        misses: &["terraform plan", "terraform apply", "pulumi preview"],
    },
    Rule {
        key: "cloud-delete",
        description: "deletes data or machines in the cloud",
        class: Ask,
        on: named(
            &[
                "aws",
                "gcloud",
                "az",
                "gsutil",
                "doctl",
                "heroku",
                "fly",
                "flyctl",
                "gh",
                "vercel",
                "linode-cli",
                "s3cmd",
                "rclone",
                "mc",
            ],
            |command, _| {
                command.operands().take(4).any(|field| {
                    let verb = field.text.as_str();
                    verb.starts_with("delete")
                        || verb.starts_with("terminate-")
                        || verb.starts_with("destroy")
                        || verb.ends_with(":destroy")
                        || matches!(verb, "rb" | "rm" | "purge" | "remove")
                })
            },
        ),
        hits: &[
            "aws s3 rm s3://b --recursive",
            "aws ec2 terminate-instances --instance-ids i",
            "gcloud compute instances delete x",
            "gh repo delete a/b",
            "rclone purge r:x",
        ],
        misses: &["aws s3 ls", "gh pr create", "gcloud config list", "gh pr view 4"],
    },
    Rule {
        key: "store-flush",
        description: "empties a data store",
        class: Ask,
        on: named(
            &["redis-cli", "memcached-tool", "etcdctl", "rabbitmqctl", "dropdb", "dropuser", "mysqladmin"],
            |command, _| match command.name.as_str() {
                "dropdb" | "dropuser" => true,
                "mysqladmin" => command.has(&["drop"]),
                _ => command.texts().any(|text| {
                    matches!(
                        text.to_ascii_lowercase().as_str(),
                        "flushall" | "flushdb" | "reset" | "force_reset" | "flush_all" | "shutdown"
                    )
                }),
            },
        ),
        hits: &["redis-cli FLUSHALL", "dropdb production", "redis-cli -n 1 flushdb"],
        misses: &["redis-cli ping", "redis-cli get key", "createdb test"],
    },
];
